-- The server's time in microseconds since 1970, as text: sixteen digits until the year 2286. Texts of the same length
-- compare like their numbers, and cost much less than numbers, which have to be printed.

local function clock_text()
  local time = redis.call('TIME')
  local micros = time[2]
  return time[1] .. (#micros == 6 and micros or string.format('%06d', micros))
end
