--- Where the window that asks about code opens, and how it looks.
local M = {}

local api = vim.api
local widest = 72

-- 'winborder' is the border of all floats, in Neovim 0.11 and later. A title needs a border.
local function border()
  local ok, style = pcall(function()
    return vim.o.winborder
  end)
  if not ok or style == '' then
    return 'rounded'
  elseif style == 'none' then
    return { '', ' ', '', '', '', ' ', '', '' }
  end
  return nil
end

local function max_height()
  return math.max(1, math.floor(vim.o.lines / 3))
end

-- Below the cursor; above it if there is no room below.
---@param origin integer
---@return vim.api.keyset.win_config
local function place(origin)
  local cursor, corner = api.nvim_win_get_cursor(origin), api.nvim_win_get_position(origin)
  local at = vim.fn.screenpos(origin, cursor[1], cursor[2] + 1)
  local row = at.row > 0 and at.row or corner[1] + 1
  local column = at.col > 0 and at.col or corner[2] + 1
  local width = math.max(1, math.min(widest, vim.o.columns - 4))
  local bottom = vim.o.lines - vim.o.cmdheight - (vim.o.laststatus > 0 and 1 or 0)
  local is_below = bottom - row >= math.min(max_height(), 6) + 2 or row <= bottom / 2
  return {
    relative = 'editor',
    anchor = is_below and 'NW' or 'SW',
    row = is_below and row or row - 1,
    col = math.max(0, math.min(column - 1, vim.o.columns - width - 2)),
    width = width,
    height = 1,
  }
end

---@param buf integer
---@param origin integer the window whose cursor it opens at
---@return integer win
function M.open(buf, origin)
  local config = vim.tbl_extend('force', place(origin), {
    style = 'minimal',
    border = border(),
    title = ' ',
    footer = ' ',
    zindex = 45,
  })
  local win = api.nvim_open_win(buf, true, config)
  require('acp.chat.window').style_prompt(win)
  return win
end

--- Makes the window as high as its text.
---@param win integer
function M.fit(win)
  local height = api.nvim_win_text_height(win, {}).all
  local most = max_height()
  api.nvim_win_set_height(win, math.max(1, math.min(height, most)))
  -- Neovim has scrolled to the new line before there was room for it.
  if height <= most then
    api.nvim_win_call(win, function()
      vim.fn.winrestview({ topline = 1, skipcol = 0 })
    end)
  end
end

--- Moves the window when the size of the screen has changed.
---@param win integer
---@param origin integer
function M.move(win, origin)
  if api.nvim_win_is_valid(origin) then
    api.nvim_win_set_config(win, place(origin))
    M.fit(win)
  end
end

--- Shows in the border whom the text is for, what is attached, and the keys.
---@param win integer
---@param chat acp.Chat
---@param attached string[]
---@param is_insert? boolean
function M.label(win, chat, attached, is_insert)
  if is_insert == nil then
    is_insert = api.nvim_get_mode().mode:sub(1, 1) == 'i'
  end
  local width = require('acp.ui.text_width')
  local room = api.nvim_win_get_width(win) - 2
  local title = { { (' Ask %s '):format(chat.agent), 'FloatTitle' } }
  if #attached > 0 then
    local left = room - width.cells(title[1][1]) - 2
    local what = table.concat(attached, ' ')
    if #attached > 1 and not width.fits(what, left) then
      what = ('%s and %d more'):format(attached[1], #attached - 1)
    end
    table.insert(title, { width.cut_left(what, math.max(1, left)) .. ' ', 'AcpMention' })
  end
  local hint = require('acp.ask.keys').hint(is_insert, #attached > 0)
  local footer = width.fits(hint, room) and { { ' ' .. hint .. ' ', 'AcpHint' } } or { { '' } }
  api.nvim_win_set_config(win, { title = title, footer = footer, footer_pos = 'right' })
end

return M
