-- Tells everybody that a lock is released; the time is text, see clock.lua.

local function announce_release(lock, owner, now)
  redis.call('PUBLISH', 'lock:release:' .. lock, '{"lockKey":' .. cjson.encode(lock)
    .. ',"releaseTime":' .. string.sub(now, 1, -4) .. ',"holder":' .. cjson.encode(owner) .. '}')
end
