-- Takes a lock away from its holder, tells the holder, and serves the first waiter.
--
-- KEYS  1 lock   2 fence   3 queue   4 waiters
-- ARGV  1 highest tick the client has seen  2 claim window ms
-- gives 1 if the lock was held, else 0

--@include shared/announce
--@include shared/lock
--@include shared/grant_next

local lock, fence, queue, waiters = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

local problem = lock_problem(lock)
if problem then
  return problem
end
local holder = holder_of(lock)
if not holder then
  forbid_resumption(fence, lock) -- by an owner whose lock has vanished and that has not noticed
  return 0
end
if redis.call('HEXISTS', lock, '@tick') == 0 then
  return redis.error_reply('HOLDFAST the key holds something that is not a lock of Holdfast')
end
local now = clock()
redis.call('DEL', lock)
forbid_resumption(fence, lock)
tell(holder, 'lost', holder)
announce_release(lock, holder, digits(now))
grant_next(lock, fence, queue, waiters, tonumber(ARGV[1]), now, tonumber(ARGV[2]))
return 1
