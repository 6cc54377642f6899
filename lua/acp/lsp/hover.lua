--- Shows what a mention in the prompt refers to. |vim.lsp.buf.hover()| shows no more lines than the current window has,
--- and the prompt has few.
local M = {}

local api = vim.api
---@type integer|nil the open float
local float

---@return integer above, integer below rows of the screen beside the line of the cursor, without a border
local function rooms()
  local row = vim.fn.screenpos(0, vim.fn.line('.'), vim.fn.col('.')).row
  return row - 3, vim.o.lines - vim.o.cmdheight - row - 2
end

---@param lines string[]
---@return vim.api.keyset.win_config
local function config_for(lines)
  local text_width = require('acp.ui.text_width')
  local width = math.min(math.max(1, text_width.longest(lines)), vim.o.columns - 4)
  local rows = text_width.rows(lines, width)
  local above, below = rooms()
  local is_above = above >= below
  return {
    relative = 'cursor',
    anchor = is_above and 'SW' or 'NW',
    row = is_above and 0 or 1,
    col = 0,
    width = width,
    height = math.max(1, math.min(rows, is_above and above or below)),
    style = 'minimal',
    border = require('acp.ui.border').style(),
  }
end

local function close()
  if float and api.nvim_win_is_valid(float) then
    api.nvim_win_close(float, true)
  end
  float = nil
end

---@param text string
local function open(text)
  local lines = vim.split((text:gsub('\n+$', '')), '\n', { plain = true })
  local origin = api.nvim_get_current_buf()
  local buf = require('acp.dialogs.body').create({ lines = lines, marks = {} })
  float = api.nvim_open_win(buf, false, config_for(lines))
  vim.keymap.set('n', 'q', close, { buffer = buf, nowait = true, desc = 'acp: close' })
  local on = require('acp.ui.autocommands').group('lsp.hover', origin)
  on({ 'CursorMoved', 'InsertEnter', 'TextChanged' }, close)
  on('WinLeave', function()
    vim.schedule(function()
      if api.nvim_get_current_win() ~= float then
        close()
      end
    end)
  end)
end

--- Shows what the mention under the cursor refers to. The second time it goes there.
function M.show()
  if float and api.nvim_win_is_valid(float) then
    return api.nvim_set_current_win(float)
  end
  local win, buf = api.nvim_get_current_win(), api.nvim_get_current_buf()
  local tick = api.nvim_buf_get_changedtick(buf)
  local params = vim.lsp.util.make_position_params(0, 'utf-16')
  require('acp.lsp.completion').hover(params, function(result)
    local is_here = api.nvim_get_current_win() == win and api.nvim_win_get_buf(win) == buf
    if not is_here or api.nvim_buf_get_changedtick(buf) ~= tick then
      return
    elseif result then
      open(result.contents.value)
    else
      require('acp.messages').info('the cursor is on no mention that can be shown')
    end
  end)
end

return M
