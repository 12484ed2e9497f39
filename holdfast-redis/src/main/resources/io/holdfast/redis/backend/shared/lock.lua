-- Questions about the key of a lock.

--@include shared/owners

local function holder_of(lock)
  return owners_in(lock)[1]
end

-- An error if the key is a read-write lock, a semaphore or a latch.
local function lock_problem(lock)
  local kind = redis.call('HGET', lock, '@kind')
  return kind and redis.error_reply('HOLDFAST the key is in use as a ' .. kind)
end
