-- Fencing tokens are made of ticks.
--
--   holdfast:fence   hash, for all locks together: bucket -> the last tick that was granted to a key in it;
--                    @about explains the key to people

--@include shared/numbers

-- The field of the fence for a key. 4096 buckets are few enough to stay for good, and enough to tell most keys that
-- are in use at the same time apart.
local function bucket(key)
  return string.sub(redis.sha1hex(key), 1, 3)
end

-- Longer than 64 bytes on purpose: Redis keeps a hash of short values as one piece of memory and searches it from its
-- beginning, up to 512 fields of it, three times per lock. One long value makes Redis use a table.
local ABOUT = 'Holdfast: the last tick of each bucket of lock keys. Keep it, so that fencing tokens only ever grow.'

-- Larger than every earlier tick of the key: those the server remembers, those the asking client has seen, and,
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

-- A renewal that arrives late must not resume what was released or taken away: the fence moves on, as if the key had
-- been granted again. Comes after a first write, so that a server out of memory allows it.
local function forbid_resumption(fence, key)
  redis.pcall('HINCRBY', fence, bucket(key), 1)
end
