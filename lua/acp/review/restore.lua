--- The preview of what returning to a checkpoint would change, while the user is asked.
local M = {}

local api = vim.api

---@param chat acp.Chat
local function buffer_name(chat)
  return require('acp.ui.buffer_names').of_chat(chat, 'restore')
end

---@param chat acp.Chat
---@return integer|nil
local function buffer_of(chat)
  return require('acp.ui.buffer_names').find(buffer_name(chat))
end

---@param chat acp.Chat
function M.close(chat)
  local buf = buffer_of(chat)
  if buf then
    pcall(api.nvim_buf_delete, buf, { force = true })
  end
end

---@param chat acp.Chat
---@param lines string[]
function M.preview(chat, lines)
  M.close(chat)
  local buf = api.nvim_create_buf(false, true)
  require('acp.ui.buffer_names').set(buf, buffer_name(chat))
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modifiable = false
  local height = math.max(3, math.min(#lines, math.floor(vim.o.lines / 2)))
  api.nvim_open_win(buf, false, { split = 'above', win = -1, height = height })
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, desc = 'acp: close', nowait = true })
  require('acp.ui.key_help').map(buf, 'Restore')
  vim.bo[buf].filetype = 'diff'
end

--- Goes to the preview; closing it asks again.
---@param chat acp.Chat
---@param checkpoint integer
function M.read(chat, checkpoint)
  local buf = buffer_of(chat)
  local win = buf and vim.fn.bufwinid(buf) or -1
  if win == -1 then
    return
  end
  vim.cmd.stopinsert()
  api.nvim_set_current_win(win)
  vim.wo[win].winbar = '%#AcpHint# q: back to the question'
  -- The winbar takes a row of the diff.
  require('acp.ui.windows').set_height(win, api.nvim_win_get_height(win) + 1)
  vim.keymap.set('n', 'q', function()
    M.close(chat)
    require('acp.host').notify('restore.plan', { chat = chat.id, checkpoint = checkpoint })
  end, { buffer = buf, desc = 'acp: close', nowait = true })
end

return M
