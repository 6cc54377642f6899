--- What Neovim does when a file that agents work on changes on disk.
local M = {}

local api = vim.api
local records = require('acp.buffers.records')

-- What Neovim does about a file that has changed. It asks nothing: nobody reads one question per file of a long change.
local choices = {
  changed = 'reload',
  deleted = '',
  mode = '',
  time = '',
}

local function living_chat(buf)
  if not require('acp.host').is_running() then
    return nil
  end
  for chat in vim.spairs(records.get(buf).chats or {}) do
    if require('acp.chats').get(chat) then
      return chat
    end
  end
end

--- Reloads a buffer whose file changes, except over unsaved text: the host merges that, or asks the user.
---@param buf integer
---@param path string
---@param chat integer
function M.watch(buf, path, chat)
  local record = records.get(buf)
  if record.chats then
    record.chats[chat] = true
    return
  end
  record.chats = { [chat] = true }
  local group = api.nvim_create_augroup('acp.external_changes.' .. buf, {})
  api.nvim_create_autocmd('FileChangedShell', {
    group = group,
    buffer = buf,
    callback = function()
      local owner = living_chat(buf)
      if not owner then
        vim.v.fcs_choice = 'ask'
        return
      end
      vim.v.fcs_choice = choices[vim.v.fcs_reason] or ''
      if vim.v.fcs_reason == 'conflict' then
        require('acp.host').notify_if_running('file.changed', { chat = owner, path = path })
      end
    end,
  })
  api.nvim_create_autocmd('BufUnload', {
    group = group,
    buffer = buf,
    callback = function()
      record.chats = nil
      pcall(api.nvim_del_augroup_by_id, group)
    end,
  })
end

return M
