-- The tick of a grant, in the common case. True if it is the present time: later than the last tick that the server
-- remembers for the bucket, and than the highest one that the client has seen. All of them are text; see clock.lua.
-- For all other cases there is next_tick in fence.lua.

local function is_next_tick(now, fence, bucket, floor)
  local last = redis.pcall('HGET', fence, bucket)
  return last and #last == #now and last < now and #floor <= #now and floor < now
end
