-- The data of a count-down latch:
--   <key>   hash: @kind, @count; only while the count is above zero

local LATCH_TTL = 30 * 24 * 3600 * 1000

local function latch_problem(latch)
  local kind = redis.call('HGET', latch, '@kind')
  if not kind and redis.call('EXISTS', latch) == 1 then
    kind = 'lock'
  end
  if kind and kind ~= 'latch' then
    return redis.error_reply('HOLDFAST the key is in use as a ' .. kind)
  end
end
