-- Stands first in acquire.lua, before even the shared functions: a lock that is free and that nobody waits for is
-- taken here with the fewest calls. Whatever is not plain is left to the rest of the script.

--
-- Ticks are compared as text, which is right for digits of the same number and much cheaper here than numbers.

if redis.call('EXISTS', KEYS[1], KEYS[3]) == 0 then
  local time = redis.call('TIME')
  local tick = time[1] .. string.format('%06d', time[2])
  local last = redis.call('HGET', KEYS[2], ARGV[7])
  if (not last or #last == #tick and last < tick) and #ARGV[4] <= #tick and ARGV[4] < tick then
    redis.call('HSET', KEYS[2], ARGV[7], tick)
    redis.call('HSET', KEYS[1], ARGV[1], '1', '@meta', ARGV[3], '@since', tick, '@tick', tick)
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
    return tonumber(tick)
  end
end

