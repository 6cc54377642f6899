--- Neovim's keys that go to a file, for buffers with text of an agent: `gf` on `term://program` would start the
--- program, and on a pipe it would block Neovim until somebody writes to it.
local M = {}

local keys = { 'gf', 'gF', '<C-w>f', '<C-w><C-f>', '<C-w>F', '<C-w>gf', '<C-w>gF' }

--- Whether Neovim or one of its plugins would do something else with a name than to open a file.
---@param name string
---@return boolean
function M.is_address(name)
  return name:find('^%a[%w+.-]*:[/\\][/\\]?') ~= nil
end

---@return string the name that Neovim's own key would go to
local function name_here()
  if vim.fn.mode():find('^[vV\22]') == nil then
    return vim.fn.expand('<cfile>')
  end
  return vim.trim(vim.fn.getregion(vim.fn.getpos('v'), vim.fn.getpos('.'))[1] or '')
end

---@return string|nil
local function problem_here()
  local name = name_here()
  if M.is_address(name) then
    return ('%s is not the name of a file'):format(name)
  end
  local ok, found = pcall(vim.fn.findfile, name)
  if ok and found ~= '' then
    return require('acp.ui.open_file').problem_with(vim.fn.fnamemodify(found, ':p'))
  end
end

--- Maps the keys in a buffer. They do what they do in Neovim, but only with files.
---@param buf integer
function M.map(buf)
  for _, key in ipairs(keys) do
    vim.keymap.set({ 'n', 'x' }, key, function()
      local problem = problem_here()
      if not problem then
        return key
      end
      vim.schedule(function()
        require('acp.messages').warn(problem)
      end)
      return '<Ignore>'
    end, { buffer = buf, expr = true, desc = 'acp: go to the file' })
  end
end

return M
