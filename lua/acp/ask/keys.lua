--- The keys of the window that asks about code.
local M = {}

---@param chat acp.Chat
---@param buf integer
function M.map(chat, buf)
  local keys = require('acp.config').get().keys
  local function map(mode, lhs, desc, run)
    if lhs then
      vim.keymap.set(mode, lhs, function()
        run(chat)
      end, { buffer = buf, desc = 'acp: ' .. desc, nowait = true })
    end
  end
  local ask = require('acp.ask')
  map('n', keys.send, 'send', ask.send)
  map('i', keys.send_insert, 'send', ask.send)
  map('n', keys.ask_close, 'close', ask.close)
  map('n', '<Esc>', 'close', ask.close)
  require('acp.chat.keys').map_history(chat, buf)
  map('n', keys.detach, 'remove what is attached', ask.detach)
  require('acp.ui.key_help').map(buf, 'Question about code')
end

--- The keys that are shown below the text.
---@param is_insert boolean
---@param has_attached boolean
---@return string
function M.hint(is_insert, has_attached)
  local keys = require('acp.config').get().keys
  local hints = {
    { keys[is_insert and 'send_insert' or 'send'], 'send' },
    { not is_insert and has_attached and keys.detach, 'detach' },
    { is_insert and '<Esc><Esc>' or keys.ask_close, 'close' },
  }
  return require('acp.chat.keys').join_hints(hints)
end

return M
