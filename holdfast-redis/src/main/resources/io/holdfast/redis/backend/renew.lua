-- Starts the leases of many holders anew, each only if it is still the owner's.
--
-- KEYS  for each: lock or pool, queue, leases
-- ARGV  for each: owner, lease ms, 1 if it is a pool
-- gives for each 0 lost, 1 renewed, 2 renewed and others wait

local now = clock()

local function renew_lock(lock, owner, lease)
  if redis.pcall('HEXISTS', lock, owner) ~= 1 then
    return false
  end
  redis.call('PEXPIRE', lock, lease)
  return true
end

local function renew_pool(pool, leases, owner, lease)
  local ends = redis.pcall('ZSCORE', leases, owner)
  if type(ends) ~= 'string' or tonumber(ends) <= now or redis.pcall('HEXISTS', pool, owner) ~= 1 then
    return false
  end
  pool_keep(pool, leases, lease) -- first, since a server without memory refuses what adds before it
  redis.call('ZADD', leases, digits(now + lease * 1000), owner)
  return true
end

local results = {}
for i = 1, #KEYS, 3 do
  local renewed
  if ARGV[i + 2] == '1' then
    renewed = renew_pool(KEYS[i], KEYS[i + 2], ARGV[i], ARGV[i + 1])
  else
    renewed = renew_lock(KEYS[i], ARGV[i], ARGV[i + 1])
  end
  results[#results + 1] = renewed and 1 + redis.call('EXISTS', KEYS[i + 1]) or 0
end
return results
