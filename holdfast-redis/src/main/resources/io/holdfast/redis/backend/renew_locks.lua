-- Starts the leases of many locks of one client anew, each only if it is still the owner's: what a renewal is
-- nearly always. Those that are not there are left to renew.lua, which may put them back.
--
-- KEYS  the locks, then their queues in the same order
-- ARGV  1 lease ms  2 client with a colon, then for each: tenure
-- gives {}  all are renewed and nobody waits for any of them; else
--       for each 0 not there, 1 renewed, 2 renewed and others wait

local call, pcall = redis.call, redis.pcall
local lease, client = ARGV[1], ARGV[2]
local locks = #ARGV - 2

local missing = 0
local found = {}
for i = 1, locks do
  if pcall('HEXISTS', KEYS[i], client .. ARGV[i + 2]) == 1 then
    call('PEXPIRE', KEYS[i], lease)
    found[i] = 1
  else
    found[i] = 0
    missing = missing + 1
  end
end
local wanted = locks > 0 and call('EXISTS', unpack(KEYS, locks + 1)) or 0
if missing == 0 and wanted == 0 then
  return {}
end
if wanted > 0 then
  for i = 1, locks do
    found[i] = found[i] == 1 and 1 + call('EXISTS', KEYS[locks + i]) or 0
  end
end
return found
