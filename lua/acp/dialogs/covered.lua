--- Floats of others that lie over lines which the user has to read.
local M = {}

local api = vim.api

-- Scroll bars take one column, and what is transparent hides nothing.
---@param win integer
---@param level integer zindex of what may be covered
---@return boolean
local function is_above(win, level)
  local config = api.nvim_win_get_config(win)
  return config.relative ~= ''
    and not config.hide
    and (config.zindex or 0) > level
    and config.width > 1
    and vim.wo[win].winblend < 100
end

---@param win integer
---@return { first: integer, last: integer, left: integer, right: integer } rows and columns of the screen, 1-based
local function area_of(win)
  local row, column = unpack(api.nvim_win_get_position(win))
  local config = api.nvim_win_get_config(win)
  local has_border = config.relative ~= '' and config.border and config.border ~= 'none'
  local edges = has_border and 2 or 0
  return {
    first = row + 1,
    last = row + api.nvim_win_get_height(win) + edges,
    left = column + 1,
    right = column + api.nvim_win_get_width(win) + edges,
  }
end

--- Returns a function that tells whether a float lies over lines of a window that are on the screen.
---@param win integer
---@param question? string a float that shows this question hides nothing of it
---@return fun(first: integer, last: integer): boolean 1-based lines
function M.check(win, question)
  local own = area_of(win)
  local level = api.nvim_win_get_config(win).zindex or 0
  local over = {}
  for _, other in ipairs(api.nvim_tabpage_list_wins(api.nvim_win_get_tabpage(win))) do
    local is_other = other ~= win and (not question or vim.w[other].acp_question ~= question)
    local area = is_other and is_above(other, level) and area_of(other)
    if area and area.left <= own.right and area.right >= own.left then
      table.insert(over, area)
    end
  end
  return function(first, last)
    if #over == 0 then
      return false
    end
    local top = vim.fn.screenpos(win, first, 1).row
    local height = api.nvim_win_text_height(win, { start_row = first - 1, end_row = last - 1 }).all
    return vim.iter(over):any(function(area)
      return area.first <= top + height - 1 and area.last >= top
    end)
  end
end

return M
