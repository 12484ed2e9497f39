-- Messages to one client go to holdfast:inbox:<client>. Fields are separated by \31; the key comes last.

local function client_of(owner)
  return string.match(owner, '^([^:]*):') or owner
end

-- Returns how many subscribers the message has reached.
local function tell(owner, ...)
  return redis.call('PUBLISH', 'holdfast:inbox:' .. client_of(owner), table.concat({...}, '\31'))
end
