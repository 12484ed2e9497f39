-- One attempt to take a lock. Repeating it is safe: an owner that has the lock gets it again, with a new lease and new
-- tokens. A free lock goes to the owner that came first: the caller, or a waiter.
--
-- KEYS  1 lock   2 fence   3 queue   4 waiters
-- ARGV  1 owner  2 lease ms  3 meta  4 highest tick the client has seen
--       5 ms for which a waiter is believed alive; 0: the caller does not wait
--       6 note of a waiter  7 bucket of the key in the fence  8 claim window ms
--       9 micros for which the caller has waited; may be left out
--       10 micros since the caller was first told to wait; left out if it was not
-- gives now                             granted with this tick, and nobody else waits
--       {1, tick, since when the first of the others waits or 0, now}  granted
--       {0, ms until the present lease ends (-1: never), 0, now}  busy
--       {0, ms, 0, now, 1}  busy, and the caller was passed over, mostly because a message to it reached no subscriber

--@include acquire_fast
--@include shared/enqueue
--@include shared/lock
--@include shared/grant_next

local lock, fence, queue, waiters = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner, lease, meta, floor, ttl = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local window = tonumber(ARGV[8])
local now = clock()

local function take()
  local tick = next_tick(fence, lock, floor, now)
  hold(lock, owner, meta, digits(tick), digits(now), lease)
  return {1, tick, tonumber(first_since(queue)), now}
end

if redis.call('HEXISTS', lock, owner) == 1 then
  return take()
end
if redis.call('EXISTS', lock) == 0 then
  if redis.call('EXISTS', queue) == 1 then
    grant_next(lock, fence, queue, waiters, floor, now, window, owner)
  end
  if redis.call('EXISTS', lock) == 0 then
    return take()
  end
end

local problem = lock_problem(lock)
if problem then
  return problem
end
local passed_over = false
if ttl > 0 then
  passed_over = enqueue(queue, waiters, owner, now, ttl, lease, 1, ARGV[6], meta, ARGV[9], ARGV[10])
  local holder = holder_of(lock)
  if holder then -- each time: a message may have been lost
    tell(holder, 'wanted', holder, first_since(queue))
  end
end
return {0, redis.call('PTTL', lock), 0, now, passed_over and 1 or nil}
