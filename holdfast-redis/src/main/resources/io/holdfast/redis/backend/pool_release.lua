-- Releases what an owner holds of a resource, or gives up its place in the queue.
--
-- KEYS  1 pool   2 fence   3 queue   4 waiters   5 leases
-- ARGV  1 owner  2 highest tick the client has seen  3 bucket of the key in the fence  4 claim window ms
-- gives 1 if the owner held anything, else 0

--@include pool_release_fast
--@include shared/announce
--@include shared/pool_serve

local pool, fence, queue, waiters, leases = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local owner, floor, window = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[4])
local now = clock()

if redis.call('HEXISTS', pool, '@kind') == 0 then
  leave(queue, waiters, owner) -- there is nothing, or something else under this name
  return 0
end
pool_expire(pool, leases, now)
local held = redis.call('HEXISTS', pool, owner)
if held == 1 then
  pool_remove(pool, leases, owner)
  forbid_resumption(fence, pool)
  announce_release(pool, owner, digits(now))
end
leave(queue, waiters, owner)
pcall(pool_serve, pool, leases, fence, queue, waiters, floor, now, window)
pool_settle(pool, leases, queue, now)
return held
