--- Ends everything when a plugin manager loads the plugin again. The modules are forgotten by then, so those that know
--- what is open are held here.
local M = {}

local api = vim.api
local group_name = 'acp.unload'
local wait_ms = 3000

local function delete_groups()
  for _, autocommand in ipairs(api.nvim_get_autocmds({})) do
    if vim.startswith(autocommand.group_name or '', 'acp.') then
      pcall(api.nvim_del_augroup_by_name, autocommand.group_name)
    end
  end
end

-- The last window of Neovim can't be closed, and would keep our options.
---@param buf integer
local function delete_buffer(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if not pcall(api.nvim_win_close, win, true) then
      require('acp.ui.window_options').reset(win)
    end
  end
  pcall(api.nvim_buf_delete, buf, { force = true })
end

local function delete_buffers()
  local bufs = vim.tbl_filter(require('acp.ui.buffer_names').is_ours, api.nvim_list_bufs())
  vim.tbl_map(delete_buffer, bufs)
end

local function forget_modules()
  for name in pairs(package.loaded) do
    if name == 'acp' or vim.startswith(name, 'acp.') then
      package.loaded[name] = nil
    end
  end
end

---@param modules table<string, table>
local function unload(modules)
  for name, module in pairs(modules) do
    package.loaded[name] = module
  end
  require('acp.chat.drafts').release_all()
  require('acp.host').end_and_wait(wait_ms)
  delete_groups()
  for _, client in ipairs(vim.lsp.get_clients({ name = 'acp' })) do
    vim.lsp.stop_client(client.id, true)
  end
  delete_buffers()
  if next(require('acp.chats').all()) then
    require('acp.messages').info(
      'acp.nvim was loaded again: its chats were closed, drafts are kept'
    )
  end
  forget_modules()
end

--- Prepares for being loaded again. The host is about to start.
function M.prepare()
  local modules = {
    ['acp.host'] = require('acp.host'),
    ['acp.host.pending_decisions'] = require('acp.host.pending_decisions'),
    ['acp.chats'] = require('acp.chats'),
    ['acp.chat.drafts'] = require('acp.chat.drafts'),
    ['acp.chat.history'] = require('acp.chat.history'),
    ['acp.chat.prompt.sending'] = require('acp.chat.prompt.sending'),
    ['acp.chat.prompt.text'] = require('acp.chat.prompt.text'),
    ['acp.messages'] = require('acp.messages'),
    ['acp.ui.buffer_names'] = require('acp.ui.buffer_names'),
    ['acp.ui.window_options'] = require('acp.ui.window_options'),
  }
  api.nvim_create_autocmd('User', {
    group = api.nvim_create_augroup(group_name, {}),
    pattern = 'AcpUnload',
    callback = function()
      unload(modules)
    end,
  })
end

return M
