--- Moving in the transcript: to prompts and tool calls, and to the prompt window to write.
local M = {}

local api = vim.api

---@param find fun(buf: integer, row: integer, steps: integer): integer|nil
---@param direction 1|-1
local function jump(find, direction)
  return function(chat)
    local row = api.nvim_win_get_cursor(0)[1] - 1
    local found = find(chat.buf, row, direction * vim.v.count1)
    if found then
      vim.cmd.normal({ "m'", bang = true })
      api.nvim_win_set_cursor(0, { found + 1, 0 })
    end
  end
end

--- Goes to the prompt of the user that is [count] further.
---@param direction 1|-1
---@return fun(chat: acp.Chat)
function M.to_prompt(direction)
  return jump(require('acp.chat.frames').prompt_from, direction)
end

--- Goes to the tool call that is [count] further.
---@param direction 1|-1
---@return fun(chat: acp.Chat)
function M.to_tool(direction)
  return jump(require('acp.chat.frames').tool_from, direction)
end

--- Goes to the prompt window and starts Insert mode there with this key. In an empty prompt all of them are the same.
---@param chat acp.Chat
---@param key 'i'|'a'|'o'|'I'|'A'|'O'
function M.write(chat, key)
  require('acp.chat.window').go_to_prompt(chat)
  local is_empty = require('acp.ui.buffer_text').is_empty(0)
  -- Before what the user has typed since.
  api.nvim_feedkeys(is_empty and 'i' or key, 'ni', false)
end

--- Expands or collapses the entry under the cursor.
---@param chat acp.Chat
---@param is_open boolean|nil nil: what it is not
function M.fold(chat, is_open)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local block, line = require('acp.chat.frames').block_at(chat.buf, row)
  if not block then
    return
  end
  local host = require('acp.host')
  if is_open == nil then
    host.notify('entry.toggle', { chat = chat.id, block = block, line = line })
  else
    host.notify('entry.fold', { chat = chat.id, block = block, line = line, open = is_open })
  end
end

--- Expands or collapses every entry.
---@param chat acp.Chat
---@param is_open boolean
function M.fold_all(chat, is_open)
  require('acp.host').notify('entry.fold', { chat = chat.id, open = is_open })
end

return M
