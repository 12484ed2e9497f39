-- Looks at a lock and changes nothing.
--
-- KEYS  1 lock   2 queue   3 waiters
-- gives {ms left of the lease, {field, value, ...} of the lock, {owner, text, ...} of the waiters in order}

--@include shared/waiting_list

return {redis.call('PTTL', KEYS[1]), redis.call('HGETALL', KEYS[1]), waiting_list(KEYS[2], KEYS[3])}
