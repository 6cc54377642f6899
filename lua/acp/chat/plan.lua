--- The plan of an agent in a separate window above the chat.
local M = {}

local api = vim.api
local max_share = 3

---@param chat acp.Chat
local function create_buffer(chat)
  local buf = api.nvim_create_buf(false, true)
  local names = require('acp.ui.buffer_names')
  names.set(buf, names.of_chat(chat, 'plan'))
  chat.plan = buf
  vim.bo[buf].bufhidden = 'wipe'
  require('acp.chat.frames').prepare(buf, function()
    M.fit(chat)
  end)
  vim.keymap.set('n', 'q', '<Cmd>close<CR>', { buffer = buf, desc = 'acp: close', nowait = true })
  require('acp.ui.key_help').map(buf, 'Plan')
  api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    callback = function()
      require('acp.chat.frames').forget(buf)
      chat.plan = nil
      require('acp.host').notify_if_running('plan.hide', { chat = chat.id })
    end,
  })
  require('acp.ui.autocommands').on_edit(buf, function()
    require('acp.host').notify_if_running('plan.show', { chat = chat.id })
  end)
  require('acp.ui.windows').set_filetype(buf, 'acp-plan')
end

---@param chat acp.Chat
local function window(chat)
  return chat.plan and vim.fn.bufwinid(chat.plan) or -1
end

--- Makes the window as high as its text, up to a third of the screen.
---@param chat acp.Chat
function M.fit(chat)
  local win = window(chat)
  if win ~= -1 then
    local height = api.nvim_buf_line_count(chat.plan) - 1
    local most = math.floor(vim.o.lines / max_share)
    local windows = require('acp.ui.windows')
    local below = windows.find(chat.buf)
    if below then
      windows.move_border(win, below, { above = math.max(1, math.min(height, most)) })
    end
    if win ~= api.nvim_get_current_win() then
      api.nvim_win_set_cursor(win, { 1, 0 })
    end
  end
end

---@param chat acp.Chat
function M.close(chat)
  local win = window(chat)
  if win ~= -1 then
    pcall(api.nvim_win_close, win, true)
  end
end

--- Opens the plan, or closes it when it is open.
---@param chat acp.Chat
function M.toggle(chat)
  if window(chat) ~= -1 then
    return M.close(chat)
  end
  if not chat.plan then
    create_buffer(chat)
  end
  if not require('acp.chat.window').open_above(chat, chat.plan) then
    return require('acp.messages').warn('there is no room for a window with the plan')
  end
  require('acp.host').notify('plan.show', { chat = chat.id })
end

return M
