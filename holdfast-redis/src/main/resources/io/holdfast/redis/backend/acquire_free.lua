-- Stands first in acquire.lua, before even the shared functions: a lock that is free and that nobody waits for is
-- taken here with the fewest calls. Whatever is not plain is left to the rest of the script.

if redis.call('EXISTS', KEYS[1], KEYS[3]) == 0 then
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  local bucket = string.sub(redis.sha1hex(KEYS[1]), 1, 3)
  local last = tonumber(redis.call('HGET', KEYS[2], bucket) or 0)
  if last and last < now and tonumber(ARGV[4]) < now then
    local tick = time[1] .. string.format('%06d', time[2])
    redis.call('HSET', KEYS[2], bucket, tick)
    redis.call('HSET', KEYS[1], ARGV[1], 1, '@meta', ARGV[3], '@since', tick, '@tick', tick)
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
    return now
  end
end

