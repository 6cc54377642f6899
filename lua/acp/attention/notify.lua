--- Notifications about chats that the user does not look at. See |acp-notify|.
local M = {}

---@class acp.Notification
---@field chat integer
---@field agent string
---@field kind 'waiting'|'finished'|'failed'
---@field text string one line, without control characters
---@field focused boolean Neovim has the focus
---@field shown boolean a window of this tab page shows the chat

local most_characters = 200

-- Terminals interpret control characters, also the second block of them.
---@param text string
---@return string
local function plain(text)
  text = text:gsub('[%z\1-\31\127]', ' '):gsub('\194[\128-\159]', ' '):gsub('%s+', ' ')
  return vim.fn.strcharpart(vim.trim(text), 0, most_characters)
end

-- The command at the end is of use in Neovim only.
local function without_hint(text)
  return (text:gsub(' · :Acp%w+$', ''))
end

-- Neovim 0.10 has no way to write to the terminal.
---@param sequence string
local function write(sequence)
  if vim.api.nvim_ui_send then
    vim.api.nvim_ui_send(sequence)
  end
end

-- tmux passes on only what is wrapped, and only with its option "allow-passthrough".
---@param content string
local function write_osc(content)
  local sequence = '\27]' .. content .. '\27\\'
  if vim.env.TMUX then
    sequence = '\27Ptmux;' .. sequence:gsub('\27', '\27\27') .. '\27\\'
  end
  write(sequence)
end

---@param note acp.Notification
---@return string[]|nil
local function desktop_command(note)
  local text = without_hint(note.text)
  local configured = require('acp.config').get().notify.command
  if configured then
    return vim.list_extend(vim.deepcopy(configured), { note.agent, text })
  elseif vim.fn.executable('notify-send') == 1 then
    -- Notification servers interpret markup.
    local body = text:gsub('&', '&amp;'):gsub('<', '&lt;'):gsub('>', '&gt;')
    return { 'notify-send', '--app-name=Neovim', '--', note.agent, body }
  elseif vim.fn.executable('osascript') == 1 then
    local script = 'display notification (item 2 of argv) with title (item 1 of argv)'
    local lines = { '-e', 'on run argv', '-e', script, '-e', 'end run', '--', note.agent, text }
    return vim.list_extend({ 'osascript' }, lines)
  end
end

---@type table<string, fun(note: acp.Notification)>
local outside = {
  bell = function()
    write('\7')
  end,
  osc9 = function(note)
    write_osc('9;' .. note.agent .. ': ' .. without_hint(note.text))
  end,
  osc99 = function(note)
    local id = 'i=acp.' .. note.chat
    write_osc('99;' .. id .. ':d=0;' .. note.agent)
    write_osc('99;' .. id .. ':d=1:p=body;' .. without_hint(note.text))
  end,
  osc777 = function(note)
    local title = note.agent:gsub(';', ',')
    write_osc('777;notify;' .. title .. ';' .. without_hint(note.text))
  end,
  desktop = function(note)
    local command = desktop_command(note)
    if command then
      vim.system(command, { detach = true }, function() end)
    end
  end,
}

---@param way string|fun(note: acp.Notification)
---@param note acp.Notification
local function run(way, note)
  if way == 'message' then
    if not note.shown then
      require('acp.messages').info(note.text)
    end
  elseif type(way) ~= 'string' then
    way(note)
  elseif not note.focused then
    outside[way](note)
  end
end

--- Notifies the user of something in a chat, unless they look at it.
---@param chat acp.Chat
---@param kind 'waiting'|'finished'|'failed'
---@param text string
function M.notify(chat, kind, text)
  local seen = require('acp.attention.seen')
  local options = require('acp.config').get().notify
  local note = {
    chat = chat.id,
    agent = plain(chat.agent),
    kind = kind,
    text = plain(text),
    focused = seen.is_focused(),
    shown = seen.is_shown(chat),
  }
  if (note.focused and note.shown) or not vim.list_contains(options.on, kind) then
    return
  end
  for _, way in ipairs(options.with) do
    local ok, problem = pcall(run, way, note)
    if not ok then
      require('acp.messages').warn('could not notify you: ' .. tostring(problem))
    end
  end
end

return M
