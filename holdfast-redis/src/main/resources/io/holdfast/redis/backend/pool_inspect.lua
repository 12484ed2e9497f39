-- Looks at a resource with several holders and changes nothing.
--
-- KEYS  1 pool   2 queue   3 waiters   4 leases
-- gives {limit, {owner, text, ms left, ...} of the holders, {owner, text, ...} of the waiters in order}

--@include shared/numbers
--@include shared/waiting_list

local now = clock()
local holders = {}
for _, owner in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
  local left = math.floor((tonumber(redis.call('ZSCORE', KEYS[4], owner)) - now) / 1000)
  if left >= 0 then
    holders[#holders + 1] = owner
    holders[#holders + 1] = redis.call('HGET', KEYS[1], owner) or ''
    holders[#holders + 1] = digits(left)
  end
end
local limit = tonumber(redis.call('HGET', KEYS[1], '@limit') or '0')
return {limit, holders, waiting_list(KEYS[2], KEYS[3])}
