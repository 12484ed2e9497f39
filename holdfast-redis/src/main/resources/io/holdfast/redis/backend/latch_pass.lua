-- One attempt to pass a latch. A latch without a count is open.
--
-- KEYS  1 latch   2 queue   3 waiters
-- ARGV  1 owner  2 meta  3 wait in the queue when closed: 1 or 0  4 ms for which a waiter is believed alive
--       5 note of a waiter
-- gives {1, now, 0, now}  open
--       {0, -1, 0, now}   closed

--@include shared/enqueue
--@include shared/latch
--@include shared/queue

local latch, queue, waiters, owner = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local now = clock()

local problem = latch_problem(latch)
if problem then
  return problem
end
if redis.call('EXISTS', latch) == 0 or redis.call('HGET', waiters, owner) == 'open' then
  leave(queue, waiters, owner)
  return {1, now, 0, now}
end
if ARGV[3] == '1' then
  enqueue(queue, waiters, owner, now, tonumber(ARGV[4]), 1, 0, ARGV[5], ARGV[2])
end
return {0, -1, 0, now}
