-- Takes several locks in one step if all are free and nobody waits for any of them; else none.
--
-- KEYS  1 fence, then for each: lock, queue
-- ARGV  1 lease ms  2 meta  3 highest tick the client has seen, then for each: owner
-- gives {1, tick, ...}  all granted
--       {0}             at least one is busy

--@include shared/fence
--@include shared/hold

local fence, lease, meta, floor = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3])

for i = 2, #KEYS do
  if redis.call('EXISTS', KEYS[i]) == 1 then
    return {0}
  end
end
local now = clock()
local answer = {1}
for i = 2, #KEYS, 2 do
  local tick = next_tick(fence, KEYS[i], floor, now)
  hold(KEYS[i], ARGV[3 + i / 2], meta, digits(tick), digits(now), lease)
  answer[#answer + 1] = tick
end
return answer
