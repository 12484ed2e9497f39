-- The least a safe lock can do. KEYS[1] the lock; ARGV[1] the owner, ARGV[2] the lease in ms. 1 if granted.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return 1
end
return 0
