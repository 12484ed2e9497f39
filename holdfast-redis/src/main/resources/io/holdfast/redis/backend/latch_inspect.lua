-- Looks at a latch and changes nothing.
--
-- KEYS  1 latch   2 queue   3 waiters
-- gives {count, {owner, text, ...} of the waiters that are believed alive}

--@include shared/latch
--@include shared/numbers
--@include shared/queue

local problem = latch_problem(KEYS[1])
if problem then
  return problem
end
local now = clock()
local list = {}
for _, owner in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  if waiter(KEYS[3], owner, now) then
    list[#list + 1] = owner
    list[#list + 1] = redis.call('HGET', KEYS[3], owner)
  end
end
return {tonumber(redis.call('HGET', KEYS[1], '@count') or '0'), list}
