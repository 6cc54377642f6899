--- Yanks the code block under the cursor, or puts it into the file that it names. The host knows its text.
local M = {}

---@param chat acp.Chat
---@return { chat: integer, block: integer, line: integer }|nil
local function place_of(chat)
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local block, line = require('acp.chat.frames').block_at(chat.buf, row)
  return block and { chat = chat.id, block = block, line = line }
end

--- Yanks the code block into the register that was named.
---@param chat acp.Chat
function M.yank(chat)
  local register = vim.v.register
  local place = place_of(chat)
  if not place then
    return
  end
  require('acp.host.requests').ask('entry.code', place, function(lines)
    if type(lines) ~= 'table' then
      return require('acp.messages').warn('there is no code block here')
    end
    vim.fn.setreg(register, lines, 'V')
    local count = #lines == 1 and '1 line' or ('%d lines'):format(#lines)
    require('acp.messages').info('yanked ' .. count)
  end)
end

--- Asks how the code block is put into its file.
---@param chat acp.Chat
function M.put(chat)
  local place = place_of(chat)
  if place then
    require('acp.host').notify('code.propose', place)
  end
end

return M
