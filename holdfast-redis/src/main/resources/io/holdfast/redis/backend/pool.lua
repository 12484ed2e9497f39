-- Stands before the scripts of resources with several holders: read-write locks and semaphores.
--
--   <key>                     hash: owner -> amount, since, tick, meta; @kind, @declared, @limit, @used;
--                             @kept if the limit was changed and must be remembered; then it does not count what
--                             callers declare
--   holdfast:leases:<key>     sorted set: owner -> end of its lease in microseconds
-- queue, waiters and fence as for a lock.

local POOL_FIELDS = 4 -- @kind, @declared, @limit, @used

local function pool_problem(pool, kind, declared)
  local known = redis.call('HGET', pool, '@kind')
  if known and known ~= kind then
    return redis.error_reply('HOLDFAST the key is in use as a ' .. known)
  end
  if not known and redis.call('EXISTS', pool) == 1 then
    return redis.error_reply('HOLDFAST the key is in use as a lock')
  end
  local others = known and redis.call('HGET', pool, '@declared')
  if others and declared and others ~= declared and redis.call('HEXISTS', pool, '@kept') == 0 then
    return redis.error_reply('HOLDFAST there are ' .. others .. ' permits for others and cannot be '
      .. declared .. ' here; give the same number everywhere')
  end
end

local function pool_create(pool, leases, kind, declared)
  if redis.call('HSETNX', pool, '@kind', kind) == 1 then
    redis.call('PEXPIRE', pool, 1000) -- until it is known for how long; a command that is refused may come before
    redis.call('DEL', leases) -- of a pool that somebody has removed by hand
    redis.call('HSET', pool, '@declared', declared, '@limit', declared, '@used', 0)
  end
end

local function pool_number(pool, field)
  return tonumber(redis.call('HGET', pool, field) or '0')
end

local function pool_amount(pool, owner)
  return tonumber(string.match(redis.call('HGET', pool, owner) or '0', '^%d+'))
end

local function pool_holds(pool, leases, owner, now)
  local ends = redis.pcall('ZSCORE', leases, owner)
  return type(ends) == 'string' and tonumber(ends) > now and redis.pcall('HEXISTS', pool, owner) == 1
end

-- The pool lives at least as long as the lease that is about to be given, and the leases never less long
-- than the pool: they are what ends the holds in it.
local function pool_keep(pool, leases, lease)
  if redis.call('HEXISTS', pool, '@kept') == 1 then
    redis.call('PERSIST', pool)
    redis.call('PERSIST', leases)
    return
  end
  local left = math.max(redis.call('PTTL', pool), tonumber(lease))
  redis.call('PEXPIRE', pool, left)
  redis.call('PEXPIRE', leases, left + 1000)
end

local function pool_remove(pool, leases, owner)
  local amount = pool_amount(pool, owner)
  redis.call('ZREM', leases, owner)
  if redis.call('HDEL', pool, owner) == 1 then
    redis.call('HINCRBY', pool, '@used', -amount)
  end
end

local function pool_put(pool, leases, owner, amount, meta, tick, now, lease)
  pool_remove(pool, leases, owner)
  redis.call('HSET', pool, owner,
    table.concat({digits(amount), digits(now), digits(tick), meta}, SEPARATOR))
  redis.call('HINCRBY', pool, '@used', amount)
  redis.call('ZADD', leases, digits(now + lease * 1000), owner)
  pool_keep(pool, leases, lease)
end

-- Gives a part back: what is held is the amount at most from now on. True if it was more.
local function pool_lessen(pool, owner, amount)
  local surplus = pool_amount(pool, owner) - amount
  if surplus <= 0 then
    return false
  end
  local text = string.gsub(redis.call('HGET', pool, owner), '^%d+', digits(amount))
  redis.call('HSET', pool, owner, text)
  redis.call('HINCRBY', pool, '@used', digits(-surplus))
  return true
end

-- Leases that are over make room.
local function pool_expire(pool, leases, now)
  for _, owner in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', digits(now))) do
    pool_remove(pool, leases, owner)
  end
end

-- Grants to waiters in order for as long as they fit; passes over those who want more than there is. Stops at the
-- one who asks: its attempt decides. Gives the waiter at which it stopped, if there is one.
local function pool_serve(pool, leases, fence, queue, waiters, floor, now, window, asking)
  local kind = redis.call('HGET', pool, '@kind')
  local passed = 0
  while true do
    local owner = redis.call('ZRANGE', queue, passed, passed)[1]
    if not owner or owner == asking then
      return owner
    end
    local lease, amount, meta = waiter(waiters, owner, now)
    local limit = lease and pool_number(pool, '@limit')
    if lease and amount > limit then
      passed = passed + 1
    else
      local tick, ttl
      if lease then
        if pool_number(pool, '@used') + amount > limit then
          return owner
        end
        tick, ttl = offer(kind, pool, owner, lease, fence, queue, waiters, floor, now, window)
      end
      leave(queue, waiters, owner)
      if tick then
        pool_put(pool, leases, owner, amount, meta, tick, now, ttl)
      end
    end
  end
end

-- After a change: a pool that nobody holds or waits for is forgotten, another lives for as long as the longest
-- lease in it or its queue, and not longer. Only a limit that was changed is remembered for good.
local function pool_settle(pool, leases, queue, now)
  local kind, kept, used = unpack(redis.call('HMGET', pool, '@kind', '@kept', '@used'))
  if not kind or kept then
    return
  end
  local left = redis.call('PTTL', queue)
  if left == -2 and tonumber(used) == 0 then
    redis.call('DEL', pool)
    return
  end
  local longest = redis.call('ZRANGE', leases, -1, -1, 'WITHSCORES')[2]
  if longest then
    left = math.max(left, math.ceil((tonumber(longest) - now) / 1000))
  end
  if redis.call('HLEN', pool) - POOL_FIELDS > redis.call('ZCARD', leases) then
    left = math.max(left, redis.call('PTTL', pool)) -- somebody's lease was removed by hand: it may be the longest
  end
  redis.call('PEXPIRE', pool, digits(left))
  redis.call('PEXPIRE', leases, digits(left + 1000))
end

local function pool_holders(pool)
  local owners = {}
  for _, field in ipairs(redis.call('HKEYS', pool)) do
    if string.sub(field, 1, 1) ~= '@' then
      owners[#owners + 1] = field
    end
  end
  return owners
end


-- Tells the holders that somebody waits, but not those of the client that waits: it knows. One message is enough
-- for all permits of a client.
local function pool_tell_wanted(pool, kind, client)
  local told = client and {[client] = true} or {}
  for _, holder in ipairs(pool_holders(pool)) do
    local of = client_of(holder)
    if not told[of] then
      tell(holder, 'wanted', holder)
      told[of] = kind == 'semaphore'
    end
  end
end
