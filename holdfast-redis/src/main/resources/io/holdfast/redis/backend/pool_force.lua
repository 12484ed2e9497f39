-- Takes a resource away from its holders, or from some of them, tells them, and serves the waiters.
--
-- KEYS  1 pool   2 fence   3 queue   4 waiters   5 leases
-- ARGV  1 highest tick the client has seen  2 claim window ms  3 kind
--       4 from whom: all, or of a read-write lock readers or writers
-- gives 1 if one of those held anything, else 0

--@include shared/announce
--@include shared/owners
--@include shared/pool_serve

local pool, fence, queue, waiters, leases = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local now = clock()

local problem = pool_problem(pool, ARGV[3])
if problem then
  return problem
end
pool_expire(pool, leases, now)
local held = 0
for _, owner in ipairs(owners_in(pool)) do
  local side = pool_amount(pool, owner) == 1 and 'readers' or 'writers'
  if ARGV[4] == 'all' or ARGV[4] == side then
    pool_remove(pool, leases, owner)
    tell(owner, 'lost', owner)
    announce_release(pool, owner, digits(now))
    held = 1
  end
end
forbid_resumption(fence, pool) -- also by owners whose hold has vanished and that have not noticed
pool_serve(pool, leases, fence, queue, waiters, tonumber(ARGV[1]), now, tonumber(ARGV[2]))
pool_settle(pool, leases, queue, now)
return held
