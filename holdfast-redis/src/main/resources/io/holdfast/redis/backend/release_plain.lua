-- Stands first in release.lua, before even the shared functions: a lock that its owner has, and that nobody waits for or
-- the first who waits can be told of, is given up or handed on here with the fewest calls. Whatever is not plain is left
-- to the rest of the script. Numbers are compared as text, see acquire_plain.lua.

local given_up = false -- whether the rest of the script finds the lock gone already

if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  local lock, fence, queue, waiters, owner = KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[1]
  local time = redis.call('TIME')
  local micros = time[2]
  if #micros < 6 then
    micros = string.format('%06d', micros)
  end

  local announcement = '{"lockKey":' .. cjson.encode(lock) .. ',"releaseTime":' .. time[1]
    .. string.sub(micros, 1, 3) .. ',"holder":' .. cjson.encode(owner) .. '}'

  if redis.call('EXISTS', queue) == 0 then
    redis.call('DEL', lock)
    redis.pcall('HINCRBY', fence, ARGV[3], '1') -- see forbid_resumption
    redis.call('PUBLISH', 'lock:release:' .. lock, announcement)
    return 1
  end

  local now = time[1] .. micros
  local first = redis.pcall('ZRANGE', queue, '0', '1', 'WITHSCORES')
  local next = first[1]
  local known = next and redis.pcall('HGET', waiters, next)
  local alive, lease, meta =
    string.match(type(known) == 'string' and known or '', '^%d+\31(%d+)\31(%d+)\31%d+\31[^\31]*\31(.*)$')
  local last = redis.pcall('HGET', fence, ARGV[3])
  if alive and #alive == #now and alive >= now
    and last and #last == #now and last < now and #ARGV[2] <= #now and ARGV[2] < now then
    redis.call('DEL', lock) -- first: a server that refuses to write must refuse it before anybody is told
    redis.call('HSET', fence, ARGV[3], now)
    redis.call('PUBLISH', 'lock:release:' .. lock, announcement)
    given_up = true
    local ttl = math.min(tonumber(lease), tonumber(ARGV[4] or 1500)) -- see offer
    local message = table.concat({'granted', next, now, now, ttl, first[4] or '0', 'lock', lock}, '\31')
    local heard = redis.pcall('PUBLISH', 'holdfast:inbox:' .. (string.match(next, '^([^:]*):') or next), message)
    if type(heard) == 'number' and heard > 0 then
      redis.call('ZREM', queue, next)
      redis.call('HDEL', waiters, next, '!' .. next)
      redis.call('HSET', lock, next, '1', '@meta', meta, '@since', now, '@tick', now)
      redis.call('PEXPIRE', lock, ttl)
      return 1
    end
  end
end

