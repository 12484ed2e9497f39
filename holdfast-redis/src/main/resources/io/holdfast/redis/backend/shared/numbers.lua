-- Times as numbers, and numbers as the digits that Redis expects: Lua prints large ones with an exponent.

--@include shared/clock

local function clock()
  return tonumber(clock_text())
end

local function digits(number)
  return string.format('%.0f', number)
end
