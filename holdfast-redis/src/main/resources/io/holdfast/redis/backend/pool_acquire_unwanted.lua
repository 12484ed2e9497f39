-- Stands first in pool_acquire.lua, before even the shared functions: what fits into a resource that nobody waits for
-- is taken here with the fewest calls, if nobody holds a part of it, or others do, no lease is over, and there is as
-- much as declared. Whatever is not plain is left to the rest of the script, which would write the same.
--
-- Ticks are compared as text, as in acquire_plain.lua. What the client has sent as text stays text: to print a number
-- costs as much as a call. The lease is written first, so that nothing is ever held without one.

do
  local call, pool, leases, owner, lease = redis.call, KEYS[1], KEYS[5], ARGV[1], ARGV[2]
  local amount, limit = ARGV[9], ARGV[10]
  local free = call('EXISTS', pool, KEYS[3], leases) == 0
  if free or call('EXISTS', KEYS[3]) == 0 then
    local time = call('TIME')
    local micros = time[2]
    local tick = time[1] .. (#micros == 6 and micros or string.format('%06d', micros))
    local used, left -- how much is held with this, how long the pool lives
    if not free then
      local kind, declared, now, held, kept, mine =
        unpack(call('HMGET', pool, '@kind', '@declared', '@limit', '@used', '@kept', owner))
      if kind == ARGV[8] and declared == limit and now == limit and held and not kept and not mine
        and held + amount <= limit + 0 and call('ZCOUNT', leases, '-inf', tick) == 0 then
        used, left = held + amount, math.max(call('PTTL', pool), tonumber(lease))
      end
    elseif amount + 0 <= limit + 0 and lease + 0 >= 1000 then -- pool_create lets no pool live for less
      used, left = amount, lease
    end
    local last = call('HGET', KEYS[2], ARGV[7])
    if used and last and #last == #tick and last < tick and #ARGV[4] <= #tick and ARGV[4] < tick then
      call('HSET', KEYS[2], ARGV[7], tick)
      call('ZADD', leases, tick + lease * 1000, owner)
      call('PEXPIRE', leases, left + 1000)
      call('HSET', pool, owner, amount .. '\31' .. tick .. '\31' .. tick .. '\31' .. ARGV[3],
        '@kind', ARGV[8], '@declared', limit, '@limit', limit, '@used', used)
      call('PEXPIRE', pool, left)
      return tonumber(tick)
    end
  end
end

