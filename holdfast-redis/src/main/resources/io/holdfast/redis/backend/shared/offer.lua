-- A grant to a waiter.

--@include shared/fence
--@include shared/inbox
--@include shared/queue

-- Tells a waiter that it holds from now on. The grant lasts for the claim window only: a waiter that has died with its
-- place in the queue does not keep the others for a whole lease, and a live one renews in time. Returns the tick and
-- the short lease; nothing if the message has reached no subscriber. A waiter that was passed over and has asked again
-- since then asks once more: it is not passed over twice.
local function offer(kind, key, owner, lease, fence, queue, waiters, floor, now, window)
  local tick = next_tick(fence, key, floor, now)
  local ttl = math.min(lease, window)
  local others = first_since(queue, 1)
  local heard = tell(owner, 'granted', owner, digits(tick), digits(now), digits(ttl), others, kind, key)
  if heard > 0 or redis.call('HEXISTS', waiters, '!' .. owner) == 1 then
    return tick, ttl
  end
end
