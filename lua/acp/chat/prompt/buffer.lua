--- What every buffer has that prompts are written in: the prompt of a chat, and the window of |<Plug>(acp-ask)|.
local M = {}

--- Creates such a buffer. `:w` calls `send`.
---@param chat acp.Chat
---@param part 'prompt'|'ask' the field of the chat that has the buffer
---@param send fun()
---@param fit fun() gives the window the height of its text
---@return integer buf
function M.create(chat, part, send, fit)
  local buf = vim.api.nvim_create_buf(false, false)
  local names = require('acp.ui.buffer_names')
  names.set(buf, names.of_chat(chat, part))
  chat[part] = buf
  vim.bo[buf].buftype = 'acwrite'
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].swapfile = false
  require('acp.chat.prompt.write').watch(buf, function()
    vim.bo[buf].modified = false
    send()
  end)
  require('acp.chat.prompt.notice').watch(buf, fit)
  require('acp.context.marks').watch(chat.id, buf)
  require('acp.context.mention_offer').watch(chat, buf)
  require('acp.pictures.dropped_paths').watch()
  require('acp.ui.windows').set_filetype(buf, 'acp-prompt')
  return buf
end

return M
