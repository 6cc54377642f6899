--- The folder of a new session.
local M = {}

---@return string|nil the file that the user is in
local function current_file()
  local buf = vim.api.nvim_get_current_buf()
  local name = vim.api.nvim_buf_get_name(buf)
  local is_file = vim.bo[buf].buftype == '' and name ~= '' and not name:match('^%a[%w+.-]*://')
  return is_file and vim.fs.normalize(name) or nil
end

---@param path string
---@return string|nil
local function git_root(path)
  return vim.fs.root(path, '.git')
end

-- The innermost folder of a language server of this buffer that has the file.
---@param file string
---@return string|nil
local function lsp_root(file)
  -- Loading the language client takes 10 ms, and without it there are no servers.
  if not package.loaded['vim.lsp'] then
    return nil
  end
  local best
  -- Neovim can't load it if it can't create the folder of its log.
  if not pcall(require, 'vim.lsp') then
    return nil
  end
  for _, client in ipairs(vim.lsp.get_clients({ bufnr = 0 })) do
    local root = client.root_dir or client.config.root_dir
    root = type(root) == 'string' and vim.fs.normalize(root) or nil
    if root and vim.startswith(file, root .. '/') and #root > #(best or '') then
      best = root
    end
  end
  return best
end

local finders = {}

-- With 'autochdir' the current folder is that of the file, which is rarely all that a session is about.
function finders.cwd()
  local folder = vim.fn.getcwd()
  return vim.o.autochdir and git_root(folder) or folder
end

function finders.git()
  return git_root(current_file() or vim.fn.getcwd()) or finders.cwd()
end

function finders.lsp()
  local file = current_file()
  return file and lsp_root(file) or finders.git()
end

--- The folder that the option `root` says.
---@return string
function M.folder()
  return finders[require('acp.config').get().root]()
end

return M
