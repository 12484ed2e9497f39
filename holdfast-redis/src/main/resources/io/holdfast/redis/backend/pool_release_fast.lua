-- The fast path of pool_release.lua. Releases what the caller holds of a resource that has no waiters, if no lease is
-- over and the limit is the declared one. All other cases go on to the rest of the script, which would do the same.

--@include shared/clock
--@include shared/announce

do
  local call, pool, leases, owner = redis.call, KEYS[1], KEYS[5], ARGV[1]
  if call('EXISTS', KEYS[3]) == 0 and call('HEXISTS', pool, owner) == 1 then
    local now = clock_text()
    local holders = call('HLEN', pool) - 4 -- one too many with @kept; see POOL_FIELDS
    local released = false
    if call('ZCOUNT', leases, '-inf', now) == 0 then
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
          local left = math.ceil((longest - now) / 1000)
          call('PEXPIRE', pool, left)
          call('PEXPIRE', leases, left + 1000)
          released = true
        end
      end
    end
    if released then
      redis.pcall('HINCRBY', KEYS[2], ARGV[3], '1') -- see forbid_resumption
      announce_release(pool, owner, now)
      return 1
    end
  end
end
