--- Messages of the plugin to the user.
local M = {}

local most_parts = 20

-- A message of Neovim's own |vim.notify()| that needs more than the command line waits for a key. What plugins put in
-- its place shows all of it without that.
local function is_builtin()
  if type(vim.notify) ~= 'function' then
    return false
  end
  local source = debug.getinfo(vim.notify, 'S').source
  -- Releases that strip their bytecode tell no file.
  return vim.startswith(source, '@vim/') or source == '?' or source == '=?'
end

local function room()
  return math.max(20, vim.v.echospace)
end

local function width(text)
  return vim.fn.strdisplaywidth(text)
end

---@param text string
---@param cells integer
---@return string beginning that takes no more cells
local function beginning(text, cells)
  local part = vim.fn.strcharpart(text, 0, cells)
  while width(part) > cells do
    part = vim.fn.strcharpart(part, 0, vim.fn.strchars(part) - 1)
  end
  return part
end

---@param text string
---@return string[] parts that fit on the command line
local function split(text)
  local parts = {}
  for _, line in ipairs(vim.split(text, '\n')) do
    while line ~= '' and #parts < most_parts do
      local part = beginning(line, room())
      local words = #part < #line and part:match('^(.*%S)%s') or part
      table.insert(parts, words)
      line = vim.trim(line:sub(#words + 1))
    end
  end
  return parts
end

-- Cuts the end, but for a command that is named there.
---@param line string
---@return string
local function shortened(line)
  local hint = line:match(' · :Acp%w+$') or ' · :messages'
  return beginning(line, room() - width(hint) - 1) .. '…' .. hint
end

local groups = { [vim.log.levels.WARN] = 'WarningMsg', [vim.log.levels.ERROR] = 'ErrorMsg' }

--- Tells the user something. What does not fit on the command line is whole in |:messages|.
---@param message string
---@param level? integer
function M.say(message, level)
  local text = 'acp: ' .. message
  if not is_builtin() or (width(text) <= room() and not text:find('\n', 1, true)) then
    return vim.notify(text, level)
  end
  -- What is echoed silently is not kept, and two messages without a redraw between them wait for a key.
  for _, part in ipairs(split(text)) do
    vim.notify(part, level)
    vim.cmd.redraw()
  end
  local line = text:gsub('%s*\n%s*', ' ')
  vim.api.nvim_echo({ { shortened(line), groups[level] } }, false, {})
end

return M
