--- The settings of a project, in a file that the user trusts. Neovim asks about its content with |vim.secure.read()|.
local M = {}

local file_name = '.acp.json'
local max_kilobytes = 256
-- What a project may set: names and lists, but no program of an agent.
local names = {
  'agent',
  'mode',
  'model',
  'options',
  'mcp_servers',
  'directories',
  'private',
  'worktree',
}

---@class acp.ProjectSettings
---@field agent? string the name of an agent or a profile
---@field mode? string
---@field model? string
---@field options? table<string, string|boolean>
---@field mcp_servers? table
---@field directories? string[]
---@field private? boolean
---@field worktree? boolean

---@type table<string, acp.ProjectSettings> by file
local known = {}
---@type table<string, true> the files that the current command has read
local is_read = {}

-- The user trusts the content of this file and of no other, which an agent or a later commit may change.
---@param servers unknown in every form that |acp-mcp| lists
---@return boolean
local function names_file(servers)
  if type(servers) ~= 'table' then
    return type(servers) == 'string'
  end
  -- A list with `null` in it is no list in Lua, but it is one for the host.
  for key, item in pairs(servers) do
    if type(key) == 'number' and type(item) == 'string' then
      return true
    end
  end
  return vim.iter({ 'mcpServers', 'servers', 'mcp' }):any(function(name)
    return names_file(servers[name])
  end)
end

---@param name string
---@param item unknown
---@param file string
---@return string|nil
local function complaint_about(name, item, file)
  if not vim.list_contains(names, name) then
    return ('%s: "%s" can not be set by a project'):format(file, name)
  elseif name == 'mcp_servers' and names_file(item) then
    return ('%s: "mcp_servers" names a file, which you did not trust; write the servers here'):format(
      file
    )
  end
  return require('acp.agents.spec').complaint(('%s: %s'):format(file, name), name, item)
end

---@param text string
---@param file string
---@return acp.ProjectSettings
local function parse(text, file)
  local messages = require('acp.messages')
  local ok, value = pcall(vim.json.decode, text, { luanil = { object = true, array = true } })
  if not ok or type(value) ~= 'table' or (vim.islist(value) and #value > 0) then
    messages.warn(file .. ' is not a JSON object, so it has no effect')
    return {}
  end
  local settings = {}
  for name, item in pairs(value) do
    local complaint = complaint_about(name, item, file)
    if complaint then
      messages.warn(complaint)
    else
      settings[name] = item
    end
  end
  return settings
end

-- A user who chose to view the file goes on there, with |:trust| for example. The chat opens meanwhile.
---@param file string
---@return string|nil
local function read_trusted(file)
  local before = vim.api.nvim_get_current_win()
  local text = vim.secure.read(file)
  local viewer = vim.api.nvim_get_current_win()
  if viewer ~= before then
    vim.schedule(function()
      if vim.api.nvim_win_is_valid(viewer) then
        vim.api.nvim_set_current_win(viewer)
        vim.cmd.stopinsert()
      end
    end)
  end
  return text
end

-- Reading a pipe would block Neovim, and it computes the hash of the whole file, which takes seconds for one of 200 MB.
---@param file string
---@return boolean
local function is_readable(file)
  local stat = vim.uv.fs_stat(file)
  local problem
  if not stat or stat.type ~= 'file' or not vim.uv.fs_access(file, 'R') then
    problem = "can't be read"
  elseif stat.size > max_kilobytes * 1024 then
    problem = ('is larger than %d kB'):format(max_kilobytes)
  else
    return true
  end
  require('acp.messages').warn(('%s %s, so it has no effect'):format(file, problem))
  return false
end

--- The settings of a project if they are known already. Asks nothing.
---@param folder string
---@return acp.ProjectSettings
function M.known(folder)
  return known[vim.fs.joinpath(folder, file_name)] or {}
end

--- The settings of the project in a folder. Asks whether the file is trusted, unless the user has answered for this
--- content. The user may trust it or withdraw that at any time, so each command reads it, and asks at most once.
---@param folder string
---@return acp.ProjectSettings
function M.read(folder)
  local file = vim.fs.joinpath(folder, file_name)
  if not vim.uv.fs_lstat(file) then
    return {}
  end
  if not is_read[file] then
    local text = is_readable(file) and read_trusted(file)
    known[file] = text and parse(text, file) or {}
    is_read[file] = true
    vim.schedule(function()
      is_read[file] = nil
    end)
  end
  return known[file]
end

return M
