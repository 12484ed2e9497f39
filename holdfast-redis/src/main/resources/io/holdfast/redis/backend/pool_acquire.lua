-- One attempt to claim a part of a resource. Repeating it is safe. Owners are served in order of arrival, unless the
-- caller may overtake, or a waiter wants more than the limit.
--
-- KEYS  1 pool   2 fence   3 queue   4 waiters   5 leases
-- ARGV  1 owner  2 lease ms  3 meta  4 highest tick the client has seen
--       5 ms for which a waiter is believed alive; 0: the caller does not wait
--       6 note of a waiter  7 bucket of the key in the fence
--       8 kind  9 amount  10 declared limit  11 may overtake: 1 or 0  12 claim window ms
--       13 micros since the caller was first told to wait; left out if it was not
-- gives now                               granted with this tick, and nobody else waits
--       {1, tick, 1 if others wait, now}  granted
--       {0, ms until the next lease ends (-1: none), 0, now}  busy
--       {0, ms, 0, now, 1}  busy, and the caller was passed over, mostly because a message to it reached no subscriber

--@include pool_acquire_fast
--@include shared/enqueue
--@include shared/pool_serve
--@include shared/pool_wanted

local pool, fence, queue, waiters, leases = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local owner, lease, meta, floor, ttl = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local kind, amount, declared = ARGV[8], tonumber(ARGV[9]), ARGV[10]
local window = tonumber(ARGV[12])
local now = clock()

local problem = pool_problem(pool, kind, declared)
if problem then
  return problem
end
pool_expire(pool, leases, now)
pool_create(pool, leases, kind, declared)
local limit = pool_number(pool, '@limit')
local asking = amount <= limit and owner or nil
local first = pool_serve(pool, leases, fence, queue, waiters, floor, now, window, asking)

local held = pool_amount(pool, owner)
local turn = held > 0 or ARGV[11] == '1' or not first or first == owner
local used = pool_number(pool, '@used') - held
if held >= amount or (turn and used + amount <= limit) then
  leave(queue, waiters, owner)
  local tick = next_tick(fence, pool, floor, now)
  pool_put(pool, leases, owner, amount, meta, tick, now, lease)
  pool_serve(pool, leases, fence, queue, waiters, floor, now, window)
  return {1, tick, redis.call('EXISTS', queue), now}
end

local passed_over = false
if ttl > 0 then
  passed_over = enqueue(queue, waiters, owner, now, ttl, lease, ARGV[9], ARGV[6], meta, 0, ARGV[13])
end
pool_settle(pool, leases, queue, now)
if ttl > 0 then
  pool_tell_wanted(pool, kind, client_of(owner)) -- each time: a message may have been lost
end
local soonest = redis.call('ZRANGE', leases, 0, 0, 'WITHSCORES')[2]
local left = soonest and math.max(0, math.ceil((tonumber(soonest) - now) / 1000)) or -1
return {0, left, 0, now, passed_over and 1 or nil}
