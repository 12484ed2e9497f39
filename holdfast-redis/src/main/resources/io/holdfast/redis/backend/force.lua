-- Takes a lock away from whoever has it, tells that one, and serves the next.
--
-- KEYS  1 lock   2 fence   3 queue   4 waiters
-- ARGV  1 highest tick the client has seen  2 window ms
-- gives 1 if somebody had the lock, else 0

local lock, fence, queue, waiters = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

if redis.call('HEXISTS', lock, '@kind') == 1 then
  return redis.error_reply('HOLDFAST the key is in use as a ' .. redis.call('HGET', lock, '@kind'))
end
local holder = holder_of(lock)
if not holder then
  forbid_resumption(fence, lock) -- of one that has vanished and has not noticed
  return 0
end
if redis.call('HEXISTS', lock, '@tick') == 0 then
  return redis.error_reply('HOLDFAST the key holds something that is not a lock of ours')
end
local now = clock()
redis.call('DEL', lock)
forbid_resumption(fence, lock)
tell(holder, 'lost', holder)
announce_release(lock, holder, now)
grant_next(lock, fence, queue, waiters, tonumber(ARGV[1]), now, tonumber(ARGV[2]))
return 1
