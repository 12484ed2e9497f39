-- The fast path of acquire.lua. Takes a lock that is free and that nobody waits for, and adds a caller that finds the
-- lock held by another owner to the queue. All other cases, and callers that were told to wait before, go on to the
-- rest of the script. What only the second case needs is defined after the first.

--@include shared/clock
--@include shared/tick
--@include shared/hold

local present = redis.call('EXISTS', KEYS[1], KEYS[3])
if present == 0 then
  local now = clock_text()
  if is_next_tick(now, KEYS[2], ARGV[7], ARGV[4]) then
    redis.call('HSET', KEYS[2], ARGV[7], now)
    hold(KEYS[1], ARGV[1], ARGV[3], now, now, ARGV[2])
    return tonumber(now)
  end
end

--@include shared/enqueue
--@include shared/inbox

if present > 0 and ARGV[5] ~= '0' and not ARGV[10] then
  local lock, queue, waiters, owner = KEYS[1], KEYS[3], KEYS[4], ARGV[1]
  local fields = redis.call('HGETALL', lock)
  local holder, held_since
  for i = 1, #fields, 2 do
    local field = fields[i]
    if field == owner or field == '@kind' then
      holder = nil -- the caller's own lock, or no lock
      break
    elseif field == '@since' then
      held_since = tonumber(fields[i + 1])
    elseif string.byte(field) ~= 64 then -- '@'
      holder = field
    end
  end
  if holder then
    local now = clock()
    local _, since, known =
      enqueue(queue, waiters, owner, now, tonumber(ARGV[5]), ARGV[2], 1, ARGV[6], ARGV[3], ARGV[9])
    -- The holder has heard of the waiters before: from the first of them, or with its grant. So only a waiter that
    -- came before them tells the holder. A message may have been lost: so a waiter that asks again tells the holder,
    -- and so does every waiter of a lock that has been held for long. All of them tell since when the first waits.
    local tells = known or present == 1 or not held_since or now - held_since > 100000
    if tells or ARGV[9] then
      local first = present == 1 and {owner, since} or redis.call('ZRANGE', queue, '0', '0', 'WITHSCORES')
      if tells or first[1] == owner then
        tell(holder, 'wanted', holder, first[2])
      end
    end
    return {0, redis.call('PTTL', lock), 0, now}
  end
end
