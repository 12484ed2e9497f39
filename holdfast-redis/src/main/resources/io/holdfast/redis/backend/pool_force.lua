-- Takes a resource away from everyone who holds a part of it, tells them, and serves the next.
--
-- KEYS  1 pool   2 fence   3 queue   4 waiters   5 leases
-- ARGV  1 highest tick the client has seen  2 window ms  3 kind
-- gives 1 if anybody held anything, else 0

local pool, fence, queue, waiters, leases = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local now = clock()

local problem = pool_problem(pool, ARGV[3])
if problem then
  return problem
end
pool_expire(pool, leases, now)
local held = 0
for _, owner in ipairs(pool_holders(pool)) do
  pool_remove(pool, leases, owner)
  tell(owner, 'lost', owner)
  announce_release(pool, owner, now)
  held = 1
end
forbid_resumption(fence, pool) -- also of those that have vanished and have not noticed
pool_serve(pool, leases, fence, queue, waiters, tonumber(ARGV[1]), now, tonumber(ARGV[2]))
pool_settle(pool, leases, queue, now)
return held
