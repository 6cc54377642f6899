--- Finds extmarks near a row. Neovim visits every mark of a buffer when it is asked for those above a row in reverse.
local M = {}

local api = vim.api

-- Rows of the first search, and how much longer each following one is.
local rows, growth = 64, 4
-- Marks of one search downwards.
local page = 100

---@param buf integer
---@param ns integer
---@param row integer
---@return fun(): integer[]|nil iterator over the marks from a row upwards, the nearest first
function M.upwards(buf, ns, row)
  local marks, last, size = {}, row, rows
  return function()
    while #marks == 0 and last >= 0 do
      local first = math.max(0, last - size + 1)
      marks = api.nvim_buf_get_extmarks(buf, ns, { first, 0 }, { last, -1 }, {})
      last, size = first - 1, size * growth
    end
    return table.remove(marks)
  end
end

---@param buf integer
---@param ns integer
---@param row integer
---@return fun(): integer[]|nil iterator over the marks from a row downwards
function M.downwards(buf, ns, row)
  local marks, index, from = {}, 0, row
  return function()
    index = index + 1
    if index > #marks and from then
      marks = api.nvim_buf_get_extmarks(buf, ns, { from, 0 }, -1, { limit = page })
      -- Blocks and prompts have one mark in a row.
      from = #marks == page and marks[page][2] + 1 or nil
      index = 1
    end
    return marks[index]
  end
end

return M
