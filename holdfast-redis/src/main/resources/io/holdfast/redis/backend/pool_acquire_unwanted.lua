-- Stands first in pool_acquire.lua, before even the shared functions: what fits into a resource that nobody waits for
-- is taken here with the fewest calls. Nobody holds a part of it, or others do, none of whose leases is over, and the
-- limit is the declared one. Whatever is not plain is left to the rest of the script, which would write the same.
--
-- Ticks are compared as text, as in acquire_free.lua. Numbers that the client has sent stay text: to print one costs
-- half as much as a call. The lease is written first, so that nothing is ever held without one.

do
  local call, pool, leases, owner, lease = redis.call, KEYS[1], KEYS[5], ARGV[1], ARGV[2]
  local amount, limit = ARGV[9], ARGV[10]
  local there = call('EXISTS', pool, KEYS[3], leases)
  local used, left -- by all together; how long the pool lives
  if there == 0 then
    if amount + 0 <= limit + 0 and lease + 0 >= 1000 then -- see pool_create for those that are shorter
      used, left = amount, lease
    end
  elseif there == 2 then -- the pool and its leases if both can be read below, else this is not plain
    local fields = call('HMGET', pool, '@kind', '@declared', '@limit', '@used', '@kept', owner)
    if fields[1] == ARGV[8] and fields[2] == limit and fields[3] == limit and fields[4]
      and not fields[5] and not fields[6] and fields[4] + amount <= limit + 0 then
      used, left = fields[4] + amount, math.max(call('PTTL', pool), tonumber(lease))
    end
  end
  if used then
    local time = call('TIME')
    local tick = time[1] .. string.format('%06d', time[2])
    local soonest = there == 0 or tonumber(call('ZRANGE', leases, '0', '0', 'WITHSCORES')[2] or 0) > tonumber(tick)
    local last = call('HGET', KEYS[2], ARGV[7])
    if soonest and (not last or #last == #tick and last < tick) and #ARGV[4] <= #tick and ARGV[4] < tick then
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

