--- A mapping of a buffer that exists only for a while. The user's own mapping of the key is back afterwards.
local M = {}

---@class acp.TemporaryKey
---@field buf integer
---@field key string
---@field hidden table<string, table> mappings of the user for the same key in the buffer, by mode

--- Maps a key in some modes.
---@param buf integer
---@param key string
---@param keys table<string, string|function> what it does, by mode
---@param desc string
---@return acp.TemporaryKey
function M.map(buf, key, keys, desc)
  local hidden = {}
  vim.api.nvim_buf_call(buf, function()
    for mode, rhs in pairs(keys) do
      local mapping = vim.fn.maparg(key, mode, false, true)
      hidden[mode] = mapping.buffer == 1 and mapping or false
      vim.keymap.set(mode, key, rhs, { buffer = buf, nowait = true, desc = 'acp: ' .. desc })
    end
  end)
  return { buf = buf, key = key, hidden = hidden }
end

---@param mapped acp.TemporaryKey
function M.unmap(mapped)
  if not vim.api.nvim_buf_is_valid(mapped.buf) then
    return
  end
  vim.api.nvim_buf_call(mapped.buf, function()
    for mode, hidden in pairs(mapped.hidden) do
      pcall(vim.keymap.del, mode, mapped.key, { buffer = mapped.buf })
      if hidden then
        vim.fn.mapset(mode, false, hidden)
      end
    end
  end)
end

return M
