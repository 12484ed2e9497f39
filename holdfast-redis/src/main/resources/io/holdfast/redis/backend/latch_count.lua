-- Sets, counts down, opens, or reads a latch. A latch that reaches zero is deleted: a missing latch is open.
--
-- KEYS  1 latch   2 queue   3 waiters
-- ARGV  1 set, down, open, read or leave   2 count (set), owner (leave)
-- gives set:   1, or 0 if the latch has a count already
--       down:  the new count, or -1 if the latch was open
--       open:  1, or 0 if the latch was open already
--       read:  the count
--       leave: 0

--@include shared/inbox
--@include shared/latch
--@include shared/queue

local latch, queue, waiters = KEYS[1], KEYS[2], KEYS[3]

if ARGV[1] == 'leave' then
  leave(queue, waiters, ARGV[2])
  return 0
end
local problem = latch_problem(latch)
if problem then
  return problem
end
local count = tonumber(redis.call('HGET', latch, '@count') or '0')
if ARGV[1] == 'read' then
  return count
end
if ARGV[1] == 'set' then
  if count > 0 then
    return 0
  end
  redis.call('HSET', latch, '@kind', 'latch', '@count', ARGV[2])
  redis.call('PEXPIRE', latch, LATCH_TTL)
  return 1
end
local forced = ARGV[1] == 'open'
if count == 0 then
  return forced and 0 or -1
end
if count > 1 and not forced then
  redis.call('HINCRBY', latch, '@count', -1)
  redis.call('PEXPIRE', latch, LATCH_TTL)
  return count - 1
end
redis.call('DEL', latch)
-- Every waiter may pass, even if the latch is set again before the waiter looks: the mark stays until then.
for _, owner in ipairs(redis.call('ZRANGE', queue, 0, -1)) do
  redis.call('HSET', waiters, owner, 'open')
  tell(owner, 'changed', owner)
end
redis.call('DEL', queue)
return forced and 1 or 0
