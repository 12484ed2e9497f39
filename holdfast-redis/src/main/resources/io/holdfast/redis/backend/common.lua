-- Stands before every script of a lock. Time is the server's, in microseconds.
--
-- The data of one lock:
--   <key>                     hash, TTL = lease: owner -> 1, @meta, @since, @tick
--   holdfast:queue:<key>      sorted set of waiting owners by time of arrival
--   holdfast:waiters:<key>    hash: waiting owner -> since, alive until, lease, amount, note, meta; !owner -> 1 if it
--                             was passed over and has asked again
--   holdfast:fence            hash, for all locks together: bucket -> the last tick given to a key in it; tokens
--                             are made of ticks. And @about, for those who find it
--
-- Messages to one client go to holdfast:inbox:<client>; fields are separated by \31, the key comes last.

local SEPARATOR = '\31'
local INBOX = 'holdfast:inbox:'
local ASKS = '!' -- before a waiting owner: see enqueue

local function clock()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Lua prints large numbers with an exponent; Redis wants digits.
local function digits(number)
  return string.format('%.0f', number)
end

local function client_of(owner)
  return string.match(owner, '^([^:]*):') or owner
end

local function tell(owner, ...)
  return redis.call('PUBLISH', INBOX .. client_of(owner), table.concat({...}, SEPARATOR))
end

-- Which of 4096 fields of the fence stands for a key: few enough to stay for good, and enough to tell most keys
-- that are in use at the same time apart.
local function bucket(key)
  return string.sub(redis.sha1hex(key), 1, 3)
end

-- Longer than 64 bytes on purpose: a hash of short values is one piece of memory that Redis searches from its
-- beginning, up to 512 fields of it, three times per lock. One long value makes it a table.
local ABOUT = 'Holdfast: the last tick of each bucket of lock keys. Keep it, so that fencing tokens only ever grow.'

-- Larger than every tick of the key before: those the server remembers, those the asking client has seen, and,
-- should everything be forgotten, those of an earlier time.
local function next_tick(fence, key, floor, now)
  local field = bucket(key)
  local known = redis.call('HGET', fence, field)
  local last = tonumber(string.match(known or '', '^%d+$')) or 0
  local tick = math.max(last + 1, floor + 1, now)
  if known then
    redis.call('HSET', fence, field, digits(tick))
  else
    redis.call('HSET', fence, field, digits(tick), '@about', ABOUT)
  end
  return tick
end

-- True if the grant with this tick was the last one of the key, and of those in its bucket. A fence that does not
-- remember even this grant (deleted, or of older data) cannot tell who was granted what after it.
local function is_last_grant(fence, key, tick)
  return redis.pcall('HGET', fence, bucket(key)) == tick
end

-- What was given back or taken away must not be resumed by a renewal that arrives late: the fence moves on, as if
-- somebody had been granted the key. After a first write, so that a server out of memory allows it.
local function forbid_resumption(fence, key)
  redis.pcall('HINCRBY', fence, bucket(key), 1)
end

-- How long a waiter that was given the lock has time to be heard of: longer than the second after which waiters
-- look by themselves, so that a lost message does not cost the turn.
local function window(given)
  return tonumber(given or 1500)
end

local function hold(lock, owner, meta, tick, now, lease)
  redis.call('HSET', lock, owner, 1, '@meta', meta, '@since', digits(now), '@tick', digits(tick))
  redis.call('PEXPIRE', lock, lease)
end

local function holder_of(lock)
  for _, field in ipairs(redis.call('HKEYS', lock)) do
    if string.sub(field, 1, 1) ~= '@' then
      return field
    end
  end
end

-- Remembers who waits, or that it still does; who is new has the place of one that came as many micros earlier as it
-- has waited. Both keys vanish when nobody is heard of any more.
--
-- An owner that was told to wait, queued micros ago, and is not remembered was passed over: mostly because a message
-- has reached nobody. It has the place that it had, and the mark of one that lives and asks by itself. True then.
local function enqueue(queue, waiters, owner, now, ttl, lease, amount, note, meta, waited, queued)
  local known = redis.call('HGET', waiters, owner)
  local passed_over = not known and tonumber(queued or 0) > 0
  local since = known and string.match(known, '^%d+')
    or digits(now - math.max(tonumber(waited or 0), tonumber(queued or 0)))
  if passed_over then
    redis.call('HSET', waiters, ASKS .. owner, 1)
  end
  redis.call('ZADD', queue, 'NX', since, owner)
  redis.call('HSET', waiters, owner,
    table.concat({since, digits(now + ttl * 1000), lease, amount, note, meta}, SEPARATOR))
  for _, key in ipairs({queue, waiters}) do
    if redis.call('PTTL', key) < 2 * ttl then
      redis.call('PEXPIRE', key, 3 * ttl) -- more, so that it is not due again the next millisecond
    end
  end
  return passed_over
end

-- Since when the first in the queue waits, or the one behind it; 0 if there is none.
local function first_since(queue, behind)
  return redis.call('ZRANGE', queue, behind or 0, behind or 0, 'WITHSCORES')[2] or '0'
end

-- What enqueue wrote: the lease, amount and meta of a waiter, or nothing if it is not alive any more.
local function waiter(waiters, owner, now)
  local text = redis.call('HGET', waiters, owner) or ''
  local alive, lease, amount, meta = string.match(text, '^%d+\31(%d+)\31(%d+)\31(%d+)\31[^\31]*\31(.*)$')
  if alive and tonumber(alive) >= now then
    return tonumber(lease), tonumber(amount), meta
  end
end

local function leave(queue, waiters, owner)
  redis.call('ZREM', queue, owner)
  redis.call('HDEL', waiters, owner, ASKS .. owner)
end

-- Tells a waiter that it holds from now on. The grant is short (window): a holder that has died with its
-- place in the queue does not keep the others for a whole lease; one that lives asks for more. Gives the
-- tick and the short lease, or nothing if nobody hears. One that was passed over and has asked again since then
-- will ask once more: it is not passed over twice.
local function offer(kind, key, owner, lease, fence, queue, waiters, floor, now, window)
  local tick = next_tick(fence, key, floor, now)
  local ttl = math.min(lease, window)
  local others = first_since(queue, 1)
  local heard = tell(owner, 'granted', owner, digits(tick), digits(now), digits(ttl), others, kind, key)
  if heard > 0 or redis.call('HEXISTS', waiters, ASKS .. owner) == 1 then
    return tick, ttl
  end
end

-- Gives a free lock to the first waiter that is alive and can be told. Stops at the one who asks, if it
-- comes up: true then.
local function grant_next(lock, fence, queue, waiters, floor, now, window, asking)
  while true do
    local owner = redis.call('ZRANGE', queue, 0, 0)[1]
    if not owner then
      return false
    end
    local lease, _, meta = waiter(waiters, owner, now)
    local tick, ttl
    if lease and owner ~= asking then
      tick, ttl = offer('lock', lock, owner, lease, fence, queue, waiters, floor, now, window)
    end
    leave(queue, waiters, owner)
    if owner == asking then
      return true
    end
    if tick then
      hold(lock, owner, meta, tick, now, ttl)
      return false
    end
  end
end

local function waiting_list(queue, waiters)
  local list = {}
  for _, owner in ipairs(redis.call('ZRANGE', queue, 0, -1)) do
    local text = redis.call('HGET', waiters, owner)
    if text then
      list[#list + 1] = owner
      list[#list + 1] = text
    end
  end
  return list
end

local function announce_release(lock, owner, now)
  local message = cjson.encode({lockKey = lock, releaseTime = math.floor(now / 1000), holder = owner})
  redis.call('PUBLISH', 'lock:release:' .. lock, message)
end

