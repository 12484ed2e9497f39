-- KEYS[1] the lock, KEYS[2] those who wait for it; ARGV[1] the owner. 1 if it was the owner's. An owner is a client
-- with a channel of that name, a colon and a number.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
local next = redis.call('LPOP', KEYS[2])
if next then
  redis.call('SET', KEYS[1], next, 'PX', 30000)
  redis.call('PUBLISH', string.match(next, '^[^:]*'), next)
else
  redis.call('DEL', KEYS[1])
end
return 1
