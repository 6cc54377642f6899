--- The files that the agent of a chat has changed, as the user names them.
local M = {}

--- Their names, relative to the folder of the session.
---@param chat acp.Chat|nil
---@return string[]
function M.names(chat)
  local names = vim.tbl_map(function(path)
    return vim.startswith(path, chat.cwd .. '/') and path:sub(#chat.cwd + 2) or path
  end, vim.tbl_keys(chat and chat.changed_files or {}))
  table.sort(names)
  return names
end

--- The path of a name: relative to the folder of the session, or as Neovim understands it (`%`, `~`).
---@param chat acp.Chat
---@param name string
---@return string
function M.path_of(chat, name)
  local path = vim.fs.normalize(vim.fs.joinpath(chat.cwd, name))
  if chat.changed_files and chat.changed_files[path] then
    return path
  end
  local expanded = name:find('^[%%#~]') and require('acp.paths').expand(name) or name
  return vim.fs.normalize(vim.fn.fnamemodify(expanded, ':p'))
end

return M
