--- |:w| in a buffer that is sent by writing it.
local M = {}

local api = vim.api

---@param buf integer
---@param path string
local function write_file(buf, path)
  local shown = vim.fn.fnamemodify(path, ':~:.')
  if vim.uv.fs_stat(path) and vim.v.cmdbang == 0 then
    local message = 'not written: %s exists; :w! %s overwrites it'
    return require('acp.messages').error(message:format(shown, shown))
  end
  local lines = api.nvim_buf_get_lines(buf, 0, -1, false)
  local ok, result = pcall(vim.fn.writefile, lines, path)
  if not ok or result ~= 0 then
    return require('acp.messages').error('could not write ' .. shown)
  end
  require('acp.messages').info(('wrote the text to %s; it is not sent'):format(shown))
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
      if vim.startswith(args.match, 'acp://') then
        name = args.match
        return write()
      end
      write_file(buf, args.match)
      restore_name(buf, name)
    end,
  })
end

return M
