-- Releases a lock, or gives up a place in its queue. Only what belongs to the caller is touched.
--
-- KEYS  1 lock   2 fence   3 queue   4 waiters
-- ARGV  1 owner  2 highest tick the client has seen  3 bucket of the key in the fence  4 claim window ms
-- gives 1 if the owner had the lock, else 0

--@include release_fast
--@include shared/announce
--@include shared/grant_next

local lock, fence, queue, waiters = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local now = clock()

if not released then
  if not is_held then
    leave(queue, waiters, owner)
    return 0
  end
  redis.call('DEL', lock)
  forbid_resumption(fence, lock)
  announce_release(lock, owner, digits(now))
end
-- A server that is out of memory may refuse the grant; the release stands all the same.
pcall(grant_next, lock, fence, queue, waiters, tonumber(ARGV[2]), now, tonumber(ARGV[4]))
return 1
