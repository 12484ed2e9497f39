-- KEYS[1] the lock, KEYS[2] those who wait for it; ARGV[1] the owner. 1 if granted, 0 if a message will tell.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', 30000) then
  return 1
end
redis.call('RPUSH', KEYS[2], ARGV[1])
return 0
