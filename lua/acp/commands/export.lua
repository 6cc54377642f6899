--- `:AcpExport`: the chat as Markdown, in a buffer or a file.
local M = {}

local api = vim.api

local function show(lines)
  require('acp.ui.open_file').open_window()
  api.nvim_buf_set_lines(0, 0, -1, false, lines)
  vim.bo.modified = false
  vim.bo.filetype = 'markdown'
end

-- A project may have a link that leads out of it, also to a file that does not exist yet, or a pipe, which would block
-- Neovim.
---@param file string
---@param is_forced boolean
---@return string|nil
local function complaint_about(file, is_forced)
  local target = vim.uv.fs_readlink(file)
  local facts = vim.uv.fs_stat(file)
  if facts and facts.type ~= 'file' then
    return ('%s is not a file'):format(file)
  elseif target and not is_forced then
    return ('%s is a link to %s; :AcpExport! writes there'):format(file, target)
  elseif facts and not is_forced then
    return ('%s exists; :AcpExport! replaces it'):format(file)
  end
end

---@param file string
---@param lines string[]
---@param is_forced boolean
local function write(file, lines, is_forced)
  local messages = require('acp.messages')
  local complaint = complaint_about(file, is_forced)
  if complaint then
    return messages.warn(complaint)
  end
  local ok, failure = pcall(vim.fn.writefile, lines, file)
  if ok then
    messages.info(('wrote the chat to %s'):format(file))
  else
    messages.error(
      ('could not write %s: %s'):format(file, tostring(failure):match('E%d+: .*') or failure)
    )
  end
end

---@param chat acp.Chat
---@param args { args: string, bang: boolean }
function M.run(chat, args)
  local payload = { chat = chat.id, tools = 'details' }
  require('acp.host.requests').ask('chat.export', payload, function(markdown, failure)
    if not markdown then
      return require('acp.messages').error('could not export the chat: ' .. failure)
    end
    local lines = vim.split(markdown, '\n', { plain = true, trimempty = true })
    if args.args == '' then
      show(lines)
    else
      write(vim.fn.fnamemodify(require('acp.paths').expand(args.args), ':p'), lines, args.bang)
    end
  end)
end

return M
