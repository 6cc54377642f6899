--- Searches lists that are sorted by a number.
local M = {}

---@param list table[]
---@param field string the number that they are sorted by
---@param limit integer
---@return integer index of the last one whose number is at most the limit; 0 if there is none
function M.last_at_most(list, field, limit)
  local low, high = 0, #list
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if list[middle][field] <= limit then
      low = middle
    else
      high = middle - 1
    end
  end
  return low
end

return M
