-- Stands first in release.lua, before even the shared functions: a lock that its owner has and nobody waits for is
-- given up here with the fewest calls. Whatever is not plain is left to the rest of the script.

if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 and redis.call('EXISTS', KEYS[3]) == 0 then
  local lock, owner = KEYS[1], ARGV[1]
  redis.call('DEL', lock)
  redis.pcall('HINCRBY', KEYS[2], ARGV[3], 1) -- see forbid_resumption
  local time = redis.call('TIME')
  local message = '{"lockKey":' .. cjson.encode(lock) .. ',"releaseTime":' .. time[1]
    .. string.format('%03d', time[2] / 1000) .. ',"holder":' .. cjson.encode(owner) .. '}'
  redis.call('PUBLISH', 'lock:release:' .. lock, message)
  return 1
end

