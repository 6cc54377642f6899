--- Notifications of the plugin: every call of |vim.notify()| goes through here.
local M = {}

local most_parts = 20

-- Neovim's own |vim.notify()| waits for a key when a message does not fit on the command line. Replacements of it by
-- plugins show long messages without that.
local function is_builtin()
  if type(vim.notify) ~= 'function' then
    return false
  end
  local source = debug.getinfo(vim.notify, 'S').source
  -- Releases with stripped bytecode report no file.
  return vim.startswith(source, '@vim/') or source == '?' or source == '=?'
end

-- Neovim draws the ruler of a float on the command line, and |v:echospace| does not count it.
---@return integer cells before the ruler
local function room_before_ruler()
  local is_float = vim.api.nvim_win_get_config(0).relative ~= ''
  if not is_float or not vim.o.ruler or vim.o.laststatus == 3 then
    return vim.o.columns
  end
  local cells = tonumber(vim.o.rulerformat:match('^%%%-?(%d+)%(')) or 17
  return math.max(vim.o.columns - cells - 1, math.ceil(vim.o.columns / 2)) - 1
end

---@return integer cells for a message
local function room()
  return math.max(20, math.min(vim.v.echospace, room_before_ruler()))
end

-- Not strdisplaywidth(), which adds the cells that the current window would leave empty where it wraps the text.
local function width(text)
  return vim.api.nvim_strwidth(vim.fn.strtrans(text))
end

---@param text string
---@param cells integer
---@return string beginning that fits into these cells
local function beginning(text, cells)
  local part = vim.fn.strcharpart(text, 0, cells)
  while width(part) > cells do
    part = vim.fn.strcharpart(part, 0, vim.fn.strchars(part) - 1)
  end
  return part
end

--- Splits a text between words.
---@param text string
---@param cells integer
---@return string[] parts that fit into these cells
function M.split(text, cells)
  local parts = {}
  for _, line in ipairs(vim.split(text, '\n')) do
    while line ~= '' and #parts < most_parts do
      local part = beginning(line, cells)
      local words = #part < #line and part:match('^(.*%S)%s') or part
      table.insert(parts, words)
      line = vim.trim(line:sub(#words + 1))
    end
  end
  return parts
end

-- Cuts the end, except for a command that is named there.
---@param line string
---@return string
local function shortened(line)
  local hint = line:match(' · :Acp%w+$') or ' · :messages'
  return beginning(line, room() - width(hint) - 1) .. '…' .. hint
end

local groups = { [vim.log.levels.WARN] = 'WarningMsg', [vim.log.levels.ERROR] = 'ErrorMsg' }

---@type table<integer, fun(message: string)> by buffer
local insert_listeners = {}

--- Calls a function with what is reported while the user is in Insert mode in a buffer. With 'showmode' Neovim shows
--- the mode over messages there.
---@param buf integer
---@param show fun(message: string)
function M.on_insert_message(buf, show)
  insert_listeners[buf] = show
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    callback = function()
      insert_listeners[buf] = nil
    end,
  })
end

---@param message string
local function tell_insert_mode(message)
  local show = insert_listeners[vim.api.nvim_get_current_buf()]
  local is_hidden = vim.o.showmode and is_builtin()
  if show and is_hidden and vim.api.nvim_get_mode().mode:find('^[iR]') then
    show(message)
  end
end

-- Without a command line, Neovim waits for a key after an error, and after the message of a command that was typed.
local function has_command_line()
  return vim.o.cmdheight > 0
end

---@param text string
---@param level integer
---@param is_kept boolean in |:messages|
local function echo(text, level, is_kept)
  vim.api.nvim_echo({ { text, groups[level] } }, is_kept, {})
end

---@param text string
---@param level integer
local function show(text, level)
  if not is_builtin() then
    return vim.notify(text, level)
  elseif has_command_line() then
    -- Neovim waits for a key if an error and another message are shown without a redraw between them.
    vim.cmd.redraw()
    return vim.notify(text, level)
  end
  vim.schedule(function()
    vim.cmd.redraw()
    echo(text, level, true)
  end)
end

--- Notifies the user. A message that does not fit on the command line is complete in |:messages|.
---@param message string
---@param level integer one of |vim.log.levels|
function M.notify(message, level)
  tell_insert_mode(message)
  local text = 'acp: ' .. message
  if not is_builtin() or (width(text) <= room() and not text:find('\n', 1, true)) then
    return show(text, level)
  end
  -- `:silent` messages are not kept in |:messages|, and two messages without a redraw between them wait for a key.
  for _, part in ipairs(M.split(text, room())) do
    show(part, level)
    vim.cmd.redraw()
  end
  local line = text:gsub('%s*\n%s*', ' ')
  local function show_beginning()
    echo(shortened(line), level, false)
  end
  if has_command_line() then
    show_beginning()
  else
    vim.schedule(show_beginning)
  end
end

---@return string the first line of messages as it is on the screen
local function line_on_screen()
  local row = vim.o.lines - vim.o.cmdheight + 1
  local cells = {}
  for column = 1, vim.o.columns do
    table.insert(cells, vim.fn.screenstring(row, column))
  end
  return table.concat(cells)
end

--- Takes a message that is no longer true off the command line, if it still stands there.
---@param message string
function M.take_back(message)
  if has_command_line() and vim.trim(line_on_screen()) == 'acp: ' .. message then
    vim.api.nvim_echo({ { '' } }, false, {})
  end
end

---@param message string
function M.info(message)
  M.notify(message, vim.log.levels.INFO)
end

---@param message string
function M.warn(message)
  M.notify(message, vim.log.levels.WARN)
end

---@param message string
function M.error(message)
  M.notify(message, vim.log.levels.ERROR)
end

return M
