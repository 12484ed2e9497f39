-- Starts the leases of many holders anew, each only if it is still the owner's. A holder that has more of a pool than
-- it needs gives the rest to the waiters. A hold that has vanished is put back with the tick it had, if the caller
-- wants that, nobody has the key, and its grant was the last one.
--
-- KEYS  1 fence, then for each: lock or pool, queue, waiters, leases
-- ARGV  1 highest tick the client has seen  2 claim window ms, then for each:
--       owner, lease ms, kind, amount, declared limit, tick to resume with (0: do not), meta to resume with
-- gives for each 0 lost, 1 renewed, 2 renewed and others wait, 3 resumed, 4 resumed and others wait

--@include shared/hold
--@include shared/pool_serve

local fence, floor, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local now = clock()

-- True if the grant with this tick was the last one of the key, and of all keys in its bucket. A fence that does not
-- remember even this grant (deleted, or of older data) cannot rule out a later one.
local function is_last_grant(key, tick)
  return redis.pcall('HGET', fence, bucket(key)) == tick
end

-- Makes the owner hold the amount at most from now on. True if it held more.
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

local function renew_lock(lock, owner, lease)
  if redis.pcall('HEXISTS', lock, owner) ~= 1 then
    return false
  end
  redis.call('PEXPIRE', lock, lease)
  return true
end

local function renew_pool(pool, queue, waiters, leases, owner, lease, amount)
  if not pool_holds(pool, leases, owner, now) then
    return false
  end
  pool_keep(pool, leases, lease) -- first: a server out of memory refuses commands that add
  redis.call('ZADD', leases, digits(now + lease * 1000), owner)
  if pool_lessen(pool, owner, amount) then
    pool_expire(pool, leases, now)
    pcall(pool_serve, pool, leases, fence, queue, waiters, floor, now, window) -- the renewal stands all the same
    pool_settle(pool, leases, queue, now)
  end
  return true
end

-- True if the key does not exist, or is the rest of a lock whose owner was removed by hand.
local function is_vacant(key)
  local fields = redis.pcall('HKEYS', key)
  if fields.err then
    return false
  end
  for _, field in ipairs(fields) do
    if field == '@kind' or string.sub(field, 1, 1) ~= '@' then
      return false
    end
  end
  return true
end

local function put_back(key, leases, owner, lease, kind, amount, declared, tick, meta)
  redis.call('DEL', key)
  if kind == 'lock' then
    hold(key, owner, meta, digits(tick), digits(now), lease)
  else
    pool_create(key, leases, kind, declared)
    pool_put(key, leases, owner, amount, meta, tick, now, lease)
  end
end

-- A server that refuses to write must not keep the rest of the batch from being renewed: this hold is lost then.
local function resume(key, leases, owner, lease, kind, amount, declared, tick, meta)
  if tick == '0' or not is_vacant(key) or not is_last_grant(key, tick) then
    return false
  end
  if not pcall(put_back, key, leases, owner, lease, kind, amount, declared, tonumber(tick), meta) then
    redis.pcall('DEL', key)
    return false
  end
  return true
end

local results = {}
local at = 3
for i = 2, #KEYS, 4 do
  local key, queue, waiters, leases = KEYS[i], KEYS[i + 1], KEYS[i + 2], KEYS[i + 3]
  local owner, lease, kind, amount, declared, tick, meta = unpack(ARGV, at, at + 6)
  at = at + 7
  amount = tonumber(amount)
  local code
  if kind == 'lock' then
    code = renew_lock(key, owner, lease) and 1
  else
    code = renew_pool(key, queue, waiters, leases, owner, lease, amount) and 1
  end
  if not code and resume(key, leases, owner, lease, kind, amount, declared, tick, meta) then
    code = 3
  end
  results[#results + 1] = code and code + redis.call('EXISTS', queue) or 0
end
return results
