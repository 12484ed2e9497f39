-- Gives a free lock to the first waiter that is alive and can be told. Stops at the asking owner, if its turn comes:
-- returns true then.

--@include shared/hold
--@include shared/offer

local function grant_next(lock, fence, queue, waiters, floor, now, window, asking)
  while true do
    local owner = redis.call('ZRANGE', queue, 0, 0)[1]
    if not owner then
      return false
    end
    local lease, _, meta = waiter(waiters, owner, now)
    local tick, ttl
    if lease and owner ~= asking then
      tick, ttl = offer('lock', lock, owner, lease, fence, queue, waiters, floor, now, window)
    end
    leave(queue, waiters, owner)
    if owner == asking then
      return true
    end
    if tick then
      hold(lock, owner, meta, digits(tick), digits(now), ttl)
      return false
    end
  end
end
