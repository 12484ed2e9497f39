-- Starts the leases of many locks anew, each only if it is still its owner's.
--
-- KEYS  for each lock: lock, queue
-- ARGV  for each lock: owner, lease ms
-- gives for each lock 0 lost, 1 renewed, 2 renewed and others wait for it

local results = {}
for i = 1, #KEYS, 2 do
  local lock, queue, owner, lease = KEYS[i], KEYS[i + 1], ARGV[i], ARGV[i + 1]
  local found = redis.pcall('HEXISTS', lock, owner)
  if found == 1 then
    redis.call('PEXPIRE', lock, lease)
    results[#results + 1] = 1 + redis.call('EXISTS', queue)
  else
    results[#results + 1] = 0
  end
end
return results
