--- |:w| in a buffer for which it does not mean a file.
local M = {}

local api = vim.api

--- Writes the text of a buffer. A file that exists is overwritten only with `:w!`.
---@param buf integer
---@param path string
---@param said string what the user is told then, with `%s` for the file
---@return boolean is_written
function M.elsewhere(buf, path, said)
  local messages = require('acp.messages')
  local shown = vim.fn.fnamemodify(path, ':~:.')
  if vim.uv.fs_stat(path) and vim.v.cmdbang == 0 then
    messages.error(('not written: %s exists; :w! %s overwrites it'):format(shown, shown))
    return false
  end
  local lines = api.nvim_buf_get_lines(buf, 0, -1, false)
  local ok, result = pcall(vim.fn.writefile, lines, path)
  if not ok or result ~= 0 then
    messages.error('could not write ' .. shown)
    return false
  end
  messages.info(said:format(shown))
  return true
end

-- |:saveas| has given the buffer the name of the file.
local function restore_name(buf, name)
  vim.schedule(function()
    if api.nvim_buf_is_valid(buf) and api.nvim_buf_get_name(buf) ~= name then
      require('acp.ui.buffer_names').set(buf, name)
      vim.bo[buf].buflisted = false
    end
  end)
end

--- Calls `write` when the buffer is written. With the name of a file, the text is written there instead.
---@param buf integer
---@param write fun()
function M.watch(buf, write)
  local name = api.nvim_buf_get_name(buf)
  api.nvim_create_autocmd('BufWriteCmd', {
    buffer = buf,
    callback = function(args)
      if require('acp.ui.buffer_names').is_our_name(args.match) then
        name = args.match
        return write()
      end
      local said = 'wrote the text to %s; it is not sent'
      M.elsewhere(buf, args.match, said)
      restore_name(buf, name)
    end,
  })
end

return M
