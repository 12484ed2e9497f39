-- Tells the holders that there is a waiter, except those of the waiting client, which knows. One message is enough for
-- all permits of a client.

--@include shared/inbox
--@include shared/owners

local function pool_tell_wanted(pool, kind, client)
  local told = client and {[client] = true} or {}
  for _, holder in ipairs(owners_in(pool)) do
    local of = client_of(holder)
    if not told[of] then
      tell(holder, 'wanted', holder)
      told[of] = kind == 'semaphore'
    end
  end
end
