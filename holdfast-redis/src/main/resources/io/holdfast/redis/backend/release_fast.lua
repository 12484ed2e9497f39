-- The fast path of release.lua. Releases a lock of the caller that nobody waits for, or hands it to the first waiter
-- if that one is alive and can be told. All other cases go on to the rest of the script. What only a hand-over needs
-- is defined after the first case.

--@include shared/clock
--@include shared/announce

local released = false -- whether the rest of the script finds the lock released
local is_held = redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1

if is_held and redis.call('EXISTS', KEYS[3]) == 0 then
  redis.call('DEL', KEYS[1])
  redis.pcall('HINCRBY', KEYS[2], ARGV[3], '1') -- see forbid_resumption
  announce_release(KEYS[1], ARGV[1], clock_text())
  return 1
end

--@include shared/tick
--@include shared/hold
--@include shared/inbox
--@include shared/queue

if is_held then
  local lock, fence, queue, waiters = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
  local now = clock_text()
  local first = redis.pcall('ZRANGE', queue, '0', '1', 'WITHSCORES')
  local next = first[1]
  local is_read, lease, _, meta = pcall(waiter, waiters, next, tonumber(now))
  if is_read and lease and is_next_tick(now, fence, ARGV[3], ARGV[2]) then
    redis.call('DEL', lock) -- first: a server that refuses to write must refuse it before anybody is told
    redis.call('HSET', fence, ARGV[3], now)
    announce_release(lock, ARGV[1], now)
    released = true
    local ttl = math.min(lease, tonumber(ARGV[4])) -- see offer
    local is_sent, heard = pcall(tell, next, 'granted', next, now, now, ttl, first[4] or '0', 'lock', lock)
    if is_sent and heard > 0 then
      leave(queue, waiters, next)
      hold(lock, next, meta, now, now, ttl)
      return 1
    end
  end
end
