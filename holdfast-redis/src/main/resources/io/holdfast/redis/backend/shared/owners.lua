-- The owners that have a field in the hash of a lock or pool.

local function owners_in(key)
  local owners = {}
  for _, field in ipairs(redis.call('HKEYS', key)) do
    if string.sub(field, 1, 1) ~= '@' then
      owners[#owners + 1] = field
    end
  end
  return owners
end
