-- KEYS[1] the lock, KEYS[2] who waits for it; ARGV[1] the owner, ARGV[2] the prefix of channels. 1 if it was the owner's.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
local next = redis.call('GET', KEYS[2])
if next then
  redis.call('DEL', KEYS[2])
  redis.call('SET', KEYS[1], next, 'PX', 30000)
  redis.call('PUBLISH', ARGV[2] .. next, 'granted')
else
  redis.call('DEL', KEYS[1])
end
return 1
