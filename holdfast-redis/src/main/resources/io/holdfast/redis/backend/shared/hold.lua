-- The data of one lock:
--   <key>   hash, TTL = lease: owner -> 1, @meta, @since, @tick

-- Makes the owner the holder; tick and time of the grant are text.
local function hold(lock, owner, meta, tick, since, lease)
  redis.call('HSET', lock, owner, '1', '@meta', meta, '@since', since, '@tick', tick)
  redis.call('PEXPIRE', lock, lease)
end
