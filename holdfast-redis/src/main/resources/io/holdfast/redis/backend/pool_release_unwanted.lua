-- Stands first in pool_release.lua, before even the shared functions: what an owner holds of a resource that nobody
-- waits for is given up here with the fewest calls. It is the only holder, or no lease of the others is over, and the
-- limit is the declared one. Whatever is not plain is left to the rest of the script, which would do the same.

do
  local call, pool, leases, owner = redis.call, KEYS[1], KEYS[5], ARGV[1]
  if call('EXISTS', KEYS[3]) == 0 then
    local time = call('TIME')
    local now = time[1] * 1000000 + time[2]
    local holders = call('HLEN', pool) - 4 -- one too many with @kept; see POOL_FIELDS
    local released = false
    if holders == 1 then
      local ends = call('HEXISTS', pool, owner) == 1 and call('ZSCORE', leases, owner)
      released = ends and tonumber(ends) > now and call('DEL', pool, leases)
    elseif holders > 1 and call('ZCARD', leases) == holders then
      local fields = call('HMGET', pool, owner, '@used', '@kept')
      local amount = fields[1] and fields[2] and not fields[3] and string.match(fields[1], '^%d+')
      local soonest = tonumber(call('ZRANGE', leases, '0', '0', 'WITHSCORES')[2])
      if amount and fields[2] - amount > 0 and soonest > now and call('ZREM', leases, owner) == 1 then
        call('HDEL', pool, owner)
        call('HSET', pool, '@used', fields[2] - amount)
        local longest = call('ZRANGE', leases, '-1', '-1', 'WITHSCORES')[2]
        local left = math.ceil((longest - now) / 1000)
        call('PEXPIRE', pool, left)
        call('PEXPIRE', leases, left + 1000)
        released = true
      end
    end
    if released then
      redis.pcall('HINCRBY', KEYS[2], ARGV[3], '1') -- see forbid_resumption
      local message = '{"lockKey":' .. cjson.encode(pool) .. ',"releaseTime":' .. time[1]
        .. string.format('%03d', time[2] / 1000) .. ',"holder":' .. cjson.encode(owner) .. '}'
      call('PUBLISH', 'lock:release:' .. pool, message)
      return 1
    end
  end
end

