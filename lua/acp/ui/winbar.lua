--- The winbar of a chat or a terminal. In a narrow window details are left out first, then the end of the title, then
--- the mode.
local M = {}

local separator = ' · '
local shortest_title = 20

local text_width = require('acp.ui.text_width')
local cut, width_of = text_width.cut_right, text_width.cells

---@param pieces string[][]
---@return integer
local function width_of_all(pieces)
  local width = math.max(0, #pieces - 1) * width_of(separator)
  for _, piece in ipairs(pieces) do
    width = width + width_of(piece[1])
  end
  return width
end

--- Text for 'winbar' or 'statusline' that is shown as it is: nothing in it is evaluated.
---@param text string
---@return string
function M.escape(text)
  return (text:gsub('%%', '%%%%'))
end

---@param piece string[]
local function format(piece)
  return ('%%#%s#%s'):format(piece[2], M.escape(piece[1]))
end

---@param pieces string[][]
local function join(pieces)
  return table.concat(vim.tbl_map(format, pieces), '%#AcpMuted#' .. separator)
end

-- Removes pieces of a highlight group, the last one first, until the others fit.
---@param pieces string[][]
---@param group string
---@param room integer
local function fit(pieces, group, room)
  for index = #pieces, 1, -1 do
    if width_of_all(pieces) <= room then
      return
    elseif pieces[index][2] == group then
      table.remove(pieces, index)
    end
  end
end

--- The value of 'winbar'.
---@param bar { left: string[][], right: string[][] } left: name, separator, title; right: the most important one first
---@param width integer
---@return string
function M.format(bar, width)
  local name, title = bar.left[1], bar.left[3]
  local right = vim.list_slice(bar.right)
  local title_room = title
      and width_of(bar.left[2][1]) + math.min(width_of(title[1]), shortest_title)
    or 0
  local room = width - 4 - width_of(name[1])
  fit(right, 'AcpMuted', room - title_room)
  fit(right, 'AcpMode', room)
  local rest = room - width_of_all(right)
  local left = format({ cut(name[1], math.max(1, width_of(name[1]) + rest)), name[2] })
  local for_title = title and rest - width_of(bar.left[2][1]) or 0
  if for_title >= 2 then
    left = left .. format(bar.left[2]) .. format({ cut(title[1], for_title), title[2] })
  end
  -- Neovim 0.10 gives a group without a background that of the window, and the rest that of the winbar.
  return ('%%#AcpMuted# %s%%#AcpMuted#%%=  %s %%*'):format(left, join(right))
end

--- Shows a bar above every window of a buffer, as wide as each is.
---@param buf integer
---@param bar { left: string[][], right: string[][] }
function M.show(buf, bar)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local text = M.format(bar, vim.api.nvim_win_get_width(win))
    -- Neovim has no room for a winbar in a window of one row.
    if vim.wo[win].winbar ~= text and vim.api.nvim_win_get_height(win) > 1 then
      require('acp.ui.window_options').set(win, { winbar = text })
    end
  end
end

return M
