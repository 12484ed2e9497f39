-- Stands before every script of a lock. Time is the server's, in microseconds.
--
-- The data of one lock:
--   <key>                     hash, TTL = lease: owner -> 1, @meta, @since, @tick
--   holdfast:queue:<key>      sorted set of waiting owners by time of arrival
--   holdfast:waiters:<key>    hash: waiting owner -> since, alive until, lease, meta
--   holdfast:fence            the last tick given to any grant; tokens are made of it
--
-- Messages to one client go to holdfast:inbox:<client>; fields are separated by \31, the key comes last.

local SEPARATOR = '\31'
local INBOX = 'holdfast:inbox:'

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

-- Larger than every tick before: those the server remembers, those the asking client has seen, and,
-- should everything be forgotten, those of an earlier time.
local function next_tick(fence, floor, now)
  local last = tonumber(redis.call('GET', fence) or '0')
  local tick = math.max(last + 1, floor + 1, now)
  redis.call('SET', fence, digits(tick))
  return tick
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

local function leave(queue, waiters, owner)
  redis.call('ZREM', queue, owner)
  redis.call('HDEL', waiters, owner)
end

-- Gives a free lock to the first waiter that is alive and can be told. The grant is short (window): a
-- holder that has died with its place in the queue does not keep the others for a whole lease; one that
-- lives asks for more. Stops at the one who asks (asking), if it comes up: true then.
local function grant_next(lock, fence, queue, waiters, floor, now, window, asking)
  while true do
    local owner = redis.call('ZRANGE', queue, 0, 0)[1]
    if not owner then
      return false
    end
    local text = redis.call('HGET', waiters, owner) or ''
    leave(queue, waiters, owner)
    if owner == asking then
      return true
    end
    local alive, lease, meta = string.match(text, '^%d+\31(%d+)\31(%d+)\31(.*)$')
    if alive and tonumber(alive) >= now then
      local tick = next_tick(fence, floor, now)
      local ttl = math.min(tonumber(lease), window)
      local more = redis.call('EXISTS', queue)
      if tell(owner, 'granted', owner, digits(tick), digits(now), digits(ttl), more, lock) > 0 then
        hold(lock, owner, meta, tick, now, ttl)
        return false
      end
    end
  end
end

local function announce_release(lock, owner, now)
  local message = cjson.encode({lockKey = lock, releaseTime = math.floor(now / 1000), holder = owner})
  redis.call('PUBLISH', 'lock:release:' .. lock, message)
end

