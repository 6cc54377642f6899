--- One record for each buffer of the user that agents may work on: all that Lua knows about it.
local M = {}

---@class acp.BufferRecord
---@field time? string the time of its file when both last matched, see file_times.lua
---@field chats? table<integer, true> the chats whose agents work on its file, see external_changes.lua

---@type table<integer, acp.BufferRecord> by buffer; a record lives until its buffer is wiped out
local records = {}
local is_watching = false

local function watch()
  is_watching = true
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = vim.api.nvim_create_augroup('acp.buffer_records', {}),
    callback = function(event)
      records[event.buf] = nil
    end,
  })
end

--- The record of a buffer, made if there is none.
---@param buf integer
---@return acp.BufferRecord
function M.get(buf)
  if not is_watching then
    watch()
  end
  records[buf] = records[buf] or {}
  return records[buf]
end

return M
