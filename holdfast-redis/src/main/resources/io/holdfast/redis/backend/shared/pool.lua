-- The data of a resource with several holders: a read-write lock or a semaphore.
--
--   <key>                   hash: owner -> amount, since, tick, meta; @kind, @declared, @limit, @used;
--                           @kept if the limit was changed and must be remembered, whatever callers declare then
--   holdfast:leases:<key>   sorted set: owner -> end of its lease in microseconds

--@include shared/numbers

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
    redis.call('PEXPIRE', pool, 1000) -- until its lifetime is known; a refused command may come before
    redis.call('DEL', leases) -- of a pool that was removed by hand
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

-- The pool lives at least as long as the lease that is about to begin, and the leases never less long than the pool:
-- they are what ends the holds in it.
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
  redis.call('HSET', pool, owner, table.concat({digits(amount), digits(now), digits(tick), meta}, '\31'))
  redis.call('HINCRBY', pool, '@used', amount)
  redis.call('ZADD', leases, digits(now + lease * 1000), owner)
  pool_keep(pool, leases, lease)
end

-- Removes the holders whose leases are over.
local function pool_expire(pool, leases, now)
  for _, owner in ipairs(redis.call('ZRANGEBYSCORE', leases, '-inf', digits(now))) do
    pool_remove(pool, leases, owner)
  end
end
