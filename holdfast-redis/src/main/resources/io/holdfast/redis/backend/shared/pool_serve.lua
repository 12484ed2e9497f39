-- What follows a change of a pool: grants to waiters, and a new lifetime.

--@include shared/pool
--@include shared/offer

-- Grants to waiters in order for as long as their amounts fit; passes over waiters that want more than the limit.
-- Stops at the asking owner: its attempt decides. Returns the waiter at which it stopped, if there is one.
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

-- Forgets a pool without holders and waiters; another one lives for as long as its longest lease or its queue, and no
-- longer. Only a limit that was changed is remembered for good.
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
    left = math.max(left, redis.call('PTTL', pool)) -- a lease was removed by hand: it may be the longest
  end
  redis.call('PEXPIRE', pool, digits(left))
  redis.call('PEXPIRE', leases, digits(left + 1000))
end
