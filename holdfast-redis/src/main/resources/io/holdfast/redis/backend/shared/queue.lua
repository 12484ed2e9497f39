-- The waiters of a lock, pool or latch:
--   holdfast:queue:<key>     sorted set of waiting owners by time of arrival
--   holdfast:waiters:<key>   hash: waiting owner -> since, alive until, lease, amount, note, meta; !owner -> 1 if it
--                            was passed over and has asked again

-- The lease, amount and meta that enqueue has written for a waiter; nothing if the waiter is not believed alive.
local function waiter(waiters, owner, now)
  local text = redis.call('HGET', waiters, owner) or ''
  local alive, lease, amount, meta = string.match(text, '^%d+\31(%d+)\31(%d+)\31(%d+)\31[^\31]*\31(.*)$')
  if alive and tonumber(alive) >= now then
    return tonumber(lease), tonumber(amount), meta
  end
end

-- Since when the first in the queue waits, or the one behind it; 0 if there is none.
local function first_since(queue, behind)
  return redis.call('ZRANGE', queue, behind or 0, behind or 0, 'WITHSCORES')[2] or '0'
end

local function leave(queue, waiters, owner)
  redis.call('ZREM', queue, owner)
  redis.call('HDEL', waiters, owner, '!' .. owner)
end
