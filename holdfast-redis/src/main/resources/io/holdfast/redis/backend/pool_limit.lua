-- Changes how many permits there are. The new limit is remembered until it is set back to the declared one. A waiter
-- that wants more stays in the queue and is passed over.
--
-- KEYS  1 pool   2 fence   3 queue   4 waiters   5 leases
-- ARGV  1 highest tick the client has seen  2 claim window ms  3 kind  4 declared limit  5 new limit
-- gives 1

--@include shared/pool_serve
--@include shared/pool_wanted

local pool, fence, queue, waiters, leases = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local now = clock()

local problem = pool_problem(pool, ARGV[3], ARGV[4])
if problem then
  return problem
end
pool_create(pool, leases, ARGV[3], ARGV[4])
pool_expire(pool, leases, now)
redis.call('HSET', pool, '@declared', ARGV[4], '@limit', ARGV[5])
local longest = redis.call('ZRANGE', leases, -1, -1, 'WITHSCORES')[2] or now
if ARGV[5] == ARGV[4] then
  redis.call('HDEL', pool, '@kept')
else
  redis.call('HSET', pool, '@kept', 1)
end
pool_keep(pool, leases, math.floor((tonumber(longest) - now) / 1000) + 1000)
pool_serve(pool, leases, fence, queue, waiters, tonumber(ARGV[1]), now, tonumber(ARGV[2]))
pool_settle(pool, leases, queue, now)
if pool_number(pool, '@used') > tonumber(ARGV[5]) then
  pool_tell_wanted(pool, ARGV[3]) -- the holders must not hand on permits that no longer exist
end
return 1
