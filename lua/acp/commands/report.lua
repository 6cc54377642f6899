--- `:AcpReport`: what a bug report needs, in a buffer that the user reads first.
local M = {}

local api = vim.api

-- Options that are not the default. Texts and tables may have secrets; of them only the names are reported, unless the
-- option has a list of values.
---@return string
local function changed_options()
  local config = require('acp.config')
  local options, lines = config.get(), {}
  for _, option in ipairs(config.options) do
    local path, default, expected = unpack(option)
    local value = vim.tbl_get(options, unpack(vim.split(path, '.', { plain = true })))
    if not vim.deep_equal(value, default) then
      local is_plain = type(expected) == 'table'
        or vim.list_contains({ 'boolean', 'number' }, type(value))
      table.insert(lines, ('%s = %s'):format(path, is_plain and vim.inspect(value) or '…'))
    end
  end
  return table.concat(lines, '\n')
end

local function show(text)
  -- On a tab page of its own: it is long, and the windows of a chat stay as they are.
  vim.cmd.tabnew()
  vim.bo.bufhidden = 'wipe'
  local lines = vim.split(text, '\n', { plain = true })
  api.nvim_buf_set_lines(0, 0, -1, false, lines)
  vim.bo.modified = false
  vim.bo.filetype = 'markdown'
end

---@return string
local function version()
  return vim.split(api.nvim_exec2('version', { output = true }).output, '\n', { trimempty = true })[1]
end

--- Makes the report. Without a host it has only what Neovim knows.
function M.run()
  local facts = {
    neovim = version(),
    log = require('acp.paths').log(),
    options = changed_options(),
    health = require('acp.health').lines(),
  }
  require('acp.host.requests').ask('report.make', facts, function(markdown, problem)
    if markdown then
      return show(markdown)
    end
    local lines = { '# Report about acp.nvim', '', 'The host: ' .. problem, '', facts.neovim, '' }
    show(table.concat(vim.list_extend(lines, facts.health), '\n'))
  end)
end

return M
