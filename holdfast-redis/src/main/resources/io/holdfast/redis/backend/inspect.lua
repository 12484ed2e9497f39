-- Looks at a lock and changes nothing.
--
-- KEYS  1 lock   2 queue   3 waiters
-- gives {ms left of the lease, {field, value, ...} of the lock, {owner, text, ...} of the waiters in order}

local waiting = {}
for _, owner in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  local text = redis.call('HGET', KEYS[3], owner)
  if text then
    waiting[#waiting + 1] = owner
    waiting[#waiting + 1] = text
  end
end
return {redis.call('PTTL', KEYS[1]), redis.call('HGETALL', KEYS[1]), waiting}
