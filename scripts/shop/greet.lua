-- A small file for the tour to read and change.
local function greet(name)
  return 'Hello, ' .. name
end

return greet
