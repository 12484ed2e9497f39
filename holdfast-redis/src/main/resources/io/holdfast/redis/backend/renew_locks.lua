-- Starts the leases of many locks of one client anew, each only if it is still the owner's: what a renewal is
-- nearly always. Those that are not there are left to renew.lua, which may put them back. Whether others wait is
-- not looked up: they say so themselves, once a second.
--
-- KEYS  the locks
-- ARGV  1 lease ms  2 client with a colon, then for each: tenure
-- gives the numbers, from 1, of those that are not there

local client = ARGV[2]
local time = redis.call('TIME')
local ends = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[1])

local missing = {}
for i, lock in ipairs(KEYS) do
  if redis.pcall('HEXISTS', lock, client .. ARGV[i + 2]) == 1 then
    redis.call('PEXPIREAT', lock, ends) -- cheaper than PEXPIRE, which is made one of these by the server
  else
    missing[#missing + 1] = i
  end
end
return missing
