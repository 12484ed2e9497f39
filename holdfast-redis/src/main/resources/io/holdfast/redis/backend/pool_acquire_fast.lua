-- The fast path of pool_acquire.lua. Takes a part of a resource that has no waiters, if it fits, no lease is over, and
-- the limit is the declared one. All other cases go on to the rest of the script, which would write the same.
--
-- Arguments that are text stay text: to print a number costs as much as a call. The lease is written first, so that
-- nothing is ever held without one.

--@include shared/clock
--@include shared/tick

do
  local call, pool, leases, owner, lease = redis.call, KEYS[1], KEYS[5], ARGV[1], ARGV[2]
  local amount, limit = ARGV[9], ARGV[10]
  local is_free = call('EXISTS', pool, KEYS[3], leases) == 0
  if is_free or call('EXISTS', KEYS[3]) == 0 then
    local now = clock_text()
    local used, left -- how much is held with this, how long the pool lives
    if not is_free then
      local kind, declared, present, held, kept, mine =
        unpack(call('HMGET', pool, '@kind', '@declared', '@limit', '@used', '@kept', owner))
      if kind == ARGV[8] and declared == limit and present == limit and held and not kept and not mine
        and held + amount <= limit + 0 and call('ZCOUNT', leases, '-inf', now) == 0 then
        used, left = held + amount, math.max(call('PTTL', pool), tonumber(lease))
      end
    elseif amount + 0 <= limit + 0 and lease + 0 >= 1000 then -- pool_create lets no pool live for less
      used, left = amount, lease
    end
    if used and is_next_tick(now, KEYS[2], ARGV[7], ARGV[4]) then
      call('HSET', KEYS[2], ARGV[7], now)
      call('ZADD', leases, now + lease * 1000, owner)
      call('PEXPIRE', leases, left + 1000)
      call('HSET', pool, owner, amount .. '\31' .. now .. '\31' .. now .. '\31' .. ARGV[3],
        '@kind', ARGV[8], '@declared', limit, '@limit', limit, '@used', used)
      call('PEXPIRE', pool, left)
      return tonumber(now)
    end
  end
end
