--- The files in the windows of file trees: netrw, oil, mini.files, neo-tree and nvim-tree.
local M = {}

local api = vim.api
-- A prompt may have this many mentions.
local max_paths = 1000

-- Runs a function with the cursor in a line, for trees that know only the file under the cursor.
---@param line integer
---@param run fun(): any
local function at_line(line, run)
  local view = vim.fn.winsaveview()
  -- A line of a wide list has several files.
  if line ~= view.lnum then
    api.nvim_win_set_cursor(0, { line, 0 })
  end
  local ok, result = pcall(run)
  vim.fn.winrestview(view)
  return ok and result or nil
end

local function netrw_path()
  local call = vim.fn['netrw#Call']
  local banner, top = vim.w.netrw_bannercnt or 1, vim.w.netrw_treetop
  if vim.fn.line('.') < banner then
    return nil
  end
  if vim.w.netrw_liststyle ~= 3 then
    local name = call('NetrwGetWord')
    return name ~= '../' and name ~= './' and call('NetrwFile', name) or nil
  end
  local folder, name = call('NetrwTreePath', top), call('NetrwGetWord')
  return name:sub(-1) == '/' and folder or folder .. name
end

---@class acp.Tree
---@field path fun(line: integer): string|nil absolute path of the file or folder in a line
---@field marked? fun(): string[] the files that the user has marked

---@type table<string, acp.Tree> by filetype
local trees = {}

trees.netrw = {
  path = function(line)
    return at_line(line, netrw_path)
  end,
  marked = function()
    local files = vim.fn['netrw#Expose']('netrwmarkfilelist')
    return type(files) == 'table' and files or {}
  end,
}

trees.oil = {
  path = function(line)
    local oil = require('oil')
    local folder, entry = oil.get_current_dir(), oil.get_entry_on_line(0, line)
    if not folder or not entry or entry.name == '..' then
      return nil
    end
    local name = entry.parsed_name or entry.name
    return vim.fs.joinpath(folder, name) .. (entry.type == 'directory' and '/' or '')
  end,
}

trees.minifiles = {
  path = function(line)
    local entry = require('mini.files').get_fs_entry(0, line)
    return entry and entry.path .. (entry.fs_type == 'directory' and '/' or '')
  end,
}

trees['neo-tree'] = {
  path = function(line)
    local state = require('neo-tree.sources.manager').get_state_for_window()
    local node = state and state.tree and state.tree:get_node(line)
    if not node or not node.path or node.type == 'message' then
      return nil
    end
    return node.path .. (node.type == 'directory' and '/' or '')
  end,
}

local function nvim_tree_path(node)
  if not node or not node.absolute_path or node.name == '..' then
    return nil
  end
  return node.absolute_path .. (node.type == 'directory' and '/' or '')
end

trees.NvimTree = {
  path = function(line)
    return nvim_tree_path(at_line(line, require('nvim-tree.api').tree.get_node_under_cursor))
  end,
  marked = function()
    return vim.tbl_map(nvim_tree_path, require('nvim-tree.api').marks.list())
  end,
}

-- A folder may end with several slashes.
local function add(paths, path)
  path = path and path:gsub('/+$', '/')
  if path and not vim.list_contains(paths, path) and #paths < max_paths then
    table.insert(paths, path)
  end
end

---@param buf integer
---@return boolean
function M.is_tree(buf)
  return trees[vim.bo[buf].filetype] ~= nil
end

local function marked(tree)
  local ok, paths = pcall(tree.marked or function()
    return {}
  end)
  return ok and paths or {}
end

--- The files and folders of a tree in the current window; nil if it shows something else. Folders end with a slash.
---@param range? { first: integer, last: integer } without it, what is marked, else what is under the cursor
---@return string[]|nil
function M.paths(range)
  local tree = trees[vim.bo.filetype]
  if not tree then
    return nil
  end
  local paths = {}
  for _, path in pairs(range and {} or marked(tree)) do
    add(paths, path)
  end
  if #paths > 0 then
    return paths
  end
  range = range or { first = vim.fn.line('.'), last = vim.fn.line('.') }
  for line = range.first, math.min(range.last, range.first + max_paths) do
    local ok, path = pcall(tree.path, line)
    add(paths, ok and path or nil)
  end
  return paths
end

return M
