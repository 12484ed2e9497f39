-- For inspection: each waiting owner, in order, with its text in the hash of waiters.

local function waiting_list(queue, waiters)
  local list = {}
  for _, owner in ipairs(redis.call('ZRANGE', queue, 0, -1)) do
    local text = redis.call('HGET', waiters, owner)
    if text then
      list[#list + 1] = owner
      list[#list + 1] = text
    end
  end
  return list
end
