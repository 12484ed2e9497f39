-- Starts the leases of many locks anew, each only if it is still the owner's: what a renewal is
-- nearly always. Those that are not there are left to renew.lua, which may put them back. Whether others wait is
-- not looked up: they say so themselves, once a second.
--
-- KEYS  the locks
-- ARGV  1 lease ms, then for each: owner
-- gives the numbers, from 1, of those that are not there

-- Locals, since globals are looked up by name each time; a tenth of the time of a renewal. Owners come as they are
-- stored: to put them together here takes another tenth.
local call, pcall, keys, args = redis.call, redis.pcall, KEYS, ARGV
local time = call('TIME')
local ends = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + args[1])

local missing = {}
for i = 1, #keys do
  local lock = keys[i]
  if pcall('HEXISTS', lock, args[i + 1]) == 1 then
    call('PEXPIREAT', lock, ends) -- cheaper than PEXPIRE, which is made one of these by the server
  else
    missing[#missing + 1] = i
  end
end
return missing
