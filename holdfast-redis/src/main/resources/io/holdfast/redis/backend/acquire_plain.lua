-- Stands first in acquire.lua, before even the shared functions: a lock that is free and that nobody waits for is
-- taken here with the fewest calls, and who finds it held by somebody else joins the queue. Whatever is not plain is
-- left to the rest of the script, and so is one that was told to wait before.
--
-- Ticks are compared as text, which is right for digits of the same number and much cheaper here than numbers.

local there = redis.call('EXISTS', KEYS[1], KEYS[3])
if there == 0 then
  local time = redis.call('TIME')
  local micros = time[2]
  local tick = time[1] .. (#micros == 6 and micros or string.format('%06d', micros))
  local last = redis.call('HGET', KEYS[2], ARGV[7])
  if last and #last == #tick and last < tick and #ARGV[4] <= #tick and ARGV[4] < tick then
    redis.call('HSET', KEYS[2], ARGV[7], tick)
    redis.call('HSET', KEYS[1], ARGV[1], '1', '@meta', ARGV[3], '@since', tick, '@tick', tick)
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
    return tonumber(tick)
  end
elseif ARGV[5] ~= '0' and not ARGV[10] then
  local lock, queue, waiters, owner = KEYS[1], KEYS[3], KEYS[4], ARGV[1]
  local fields = redis.call('HGETALL', lock)
  local holder, held_since
  for i = 1, #fields, 2 do
    local field = fields[i]
    if field == owner or field == '@kind' then
      holder = nil -- its own, or no lock: not plain
      break
    elseif field == '@since' then
      held_since = tonumber(fields[i + 1])
    elseif string.byte(field) ~= 64 then -- '@'
      holder = field
    end
  end
  if holder then
    local time = redis.call('TIME')
    local now = time[1] .. string.format('%06d', time[2])
    local now_number = tonumber(now)
    local ttl = tonumber(ARGV[5])
    -- see enqueue
    local known = redis.call('HGET', waiters, owner)
    local waited = ARGV[8] or '0'
    local since = known and string.match(known, '^%d+')
      or waited == '0' and now or string.format('%.0f', now_number - waited)
    redis.call('ZADD', queue, 'NX', since, owner)
    redis.call('HSET', waiters, owner, table.concat(
      {since, string.format('%.0f', now_number + ttl * 1000), ARGV[2], '1', ARGV[6] or '', ARGV[3]}, '\31'))
    if redis.call('PTTL', queue) < 2 * ttl then
      redis.call('PEXPIRE', queue, 3 * ttl)
    end
    if redis.call('PTTL', waiters) < 2 * ttl then
      redis.call('PEXPIRE', waiters, 3 * ttl)
    end
    -- If others wait already, the holder has heard of them: from the first of them, or with its grant. So who has come
    -- before them tells it. And a message may have been lost: whoever asks again tells it again, as does everyone when
    -- it has held for long. What is told is since when the first waits, whoever tells it.
    local tells = known or there == 1 or not held_since or now_number - held_since > 100000
    if tells or waited ~= '0' then
      local first = there == 1 and {owner, since} or redis.call('ZRANGE', queue, '0', '0', 'WITHSCORES')
      if tells or first[1] == owner then
        redis.call('PUBLISH', 'holdfast:inbox:' .. (string.match(holder, '^([^:]*):') or holder),
          'wanted\31' .. holder .. '\31' .. first[2])
      end
    end
    return {0, redis.call('PTTL', lock), 0, now_number}
  end
end

