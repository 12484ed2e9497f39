-- Stands first in pool_release.lua, before even the shared functions: what an owner holds of a resource that nobody
-- waits for is given up here with the fewest calls, if no lease is over and there is as much as declared. Whatever is
-- not plain is left to the rest of the script, which would do the same.

do
  local call, pool, leases, owner = redis.call, KEYS[1], KEYS[5], ARGV[1]
  if call('EXISTS', KEYS[3]) == 0 and call('HEXISTS', pool, owner) == 1 then
    local time = call('TIME')
    local micros = time[2]
    local tick = time[1] .. (#micros == 6 and micros or string.format('%06d', micros))
    local holders = call('HLEN', pool) - 4 -- one too many with @kept; see POOL_FIELDS
    local released = false
    if call('ZCOUNT', leases, '-inf', tick) == 0 then
      if holders == 1 then
        call('DEL', pool, leases)
        released = true
      elseif call('ZCARD', leases) == holders then
        local amount, used, kept = unpack(call('HMGET', pool, owner, '@used', '@kept'))
        local rest = used and not kept and used - string.match(amount, '^%d+')
        if rest and rest > 0 and call('ZREM', leases, owner) == 1 then
          call('HDEL', pool, owner)
          call('HSET', pool, '@used', rest)
          local longest = call('ZRANGE', leases, '-1', '-1', 'WITHSCORES')[2]
          local left = math.ceil((longest - tick) / 1000)
          call('PEXPIRE', pool, left)
          call('PEXPIRE', leases, left + 1000)
          released = true
        end
      end
    end
    if released then
      redis.pcall('HINCRBY', KEYS[2], ARGV[3], '1') -- see forbid_resumption
      local message = '{"lockKey":' .. cjson.encode(pool) .. ',"releaseTime":' .. string.sub(tick, 1, -4)
        .. ',"holder":' .. cjson.encode(owner) .. '}'
      call('PUBLISH', 'lock:release:' .. pool, message)
      return 1
    end
  end
end

