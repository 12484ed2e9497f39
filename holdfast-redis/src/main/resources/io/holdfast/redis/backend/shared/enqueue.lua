-- A place in the queue of a lock, pool or latch. The data is that of queue.lua.

--@include shared/numbers

-- Remembers a waiter, or that it still waits. A new waiter gets the place of one that came as many micros earlier as
-- the new one has waited. Both keys vanish when no waiter has asked for long enough.
--
-- An owner that was told to wait, queued micros ago, and is not remembered was passed over: mostly because a message
-- has reached no subscriber. It gets its old place back, and a mark that it lives and asks by itself.
--
-- Returns whether the waiter was passed over, its time of arrival, and whether it was known.
local function enqueue(queue, waiters, owner, now, ttl, lease, amount, note, meta, waited, queued)
  local known = redis.call('HGET', waiters, owner)
  local passed_over = not known and tonumber(queued or 0) > 0
  local since = known and string.match(known, '^%d+')
    or digits(now - math.max(tonumber(waited or 0), tonumber(queued or 0)))
  if passed_over then
    redis.call('HSET', waiters, '!' .. owner, 1)
  end
  redis.call('ZADD', queue, 'NX', since, owner)
  redis.call('HSET', waiters, owner,
    table.concat({since, digits(now + ttl * 1000), lease, amount, note, meta}, '\31'))
  if redis.call('PTTL', queue) < 2 * ttl then
    redis.call('PEXPIRE', queue, 3 * ttl) -- more, so that it is not due again the next millisecond
  end
  if redis.call('PTTL', waiters) < 2 * ttl then
    redis.call('PEXPIRE', waiters, 3 * ttl)
  end
  return passed_over, since, known
end
