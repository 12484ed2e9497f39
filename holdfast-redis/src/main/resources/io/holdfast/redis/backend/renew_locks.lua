-- The fast path of renew.lua. Starts the leases of many locks anew, each only if it is still the owner's. The caller
-- gives missing locks to renew.lua, which may put them back. Waiters are not looked up: they tell the holder
-- themselves, once a second.
--
-- KEYS  the locks
-- ARGV  1 lease ms, then for each: owner
-- gives the numbers, from 1, of the missing locks

-- Locals save the lookup of globals by name, a tenth of the time of a renewal. Owners come as they are stored: to put
-- them together here would take another tenth.
local call, pcall, keys, args = redis.call, redis.pcall, KEYS, ARGV
local time = call('TIME')
local ends = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + args[1])

local missing = {}
for i = 1, #keys do
  local lock = keys[i]
  if pcall('HEXISTS', lock, args[i + 1]) == 1 then
    call('PEXPIREAT', lock, ends) -- cheaper than PEXPIRE, which the server turns into this
  else
    missing[#missing + 1] = i
  end
end
return missing
