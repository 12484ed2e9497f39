-- Finds out which of many locks and pools are still held by their owners, and changes nothing.
--
-- KEYS  for each: lock or pool, leases
-- ARGV  for each: owner, kind
-- gives for each 1 held, 0 not

--@include shared/pool

local now = clock()

local results = {}
for i = 1, #KEYS, 2 do
  local held
  if ARGV[i + 1] == 'lock' then
    held = redis.pcall('HEXISTS', KEYS[i], ARGV[i]) == 1
  else
    held = pool_holds(KEYS[i], KEYS[i + 1], ARGV[i], now)
  end
  results[#results + 1] = held and 1 or 0
end
return results
