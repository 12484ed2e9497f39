-- Gives up a lock, or a place in its queue. Only what the owner itself has is touched.
--
-- KEYS  1 lock   2 fence   3 queue   4 waiters
-- ARGV  1 owner  2 highest tick the client has seen  3 bucket of the key in the fence
--       4 window ms; may be left out
-- gives 1 if the owner had the lock, else 0

local lock, fence, queue, waiters = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner = ARGV[1]
local now = clock()

if not given_up then
  if redis.call('HEXISTS', lock, owner) == 0 then
    leave(queue, waiters, owner)
    return 0
  end
  redis.call('DEL', lock)
  forbid_resumption(fence, lock)
  announce_release(lock, owner, now)
end
-- A server that is out of memory may refuse the grant; the release stands all the same.
pcall(grant_next, lock, fence, queue, waiters, tonumber(ARGV[2]), now, window(ARGV[4]))
return 1
