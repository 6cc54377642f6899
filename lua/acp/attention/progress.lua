--- The running turns as Neovim 0.12 shows them: the buffer option 'busy' and, if configured, progress messages.
local M = {}

local has_busy = vim.fn.exists('+busy') == 1
local has_progress = vim.fn.has('nvim-0.12') == 1

---@type table<integer, true> chats with a progress message that has not ended
local shown = {}

---@param chat acp.Chat
---@param text string
---@param status 'running'|'success'|'failed'
local function echo(chat, text, status)
  local options = {
    kind = 'progress',
    id = 'acp.chat.' .. chat.id,
    source = 'acp',
    title = chat.agent,
    status = status,
  }
  pcall(vim.api.nvim_echo, { { text } }, false, options)
end

-- Whoever shows progress messages may have one cancelled.
local function watch_cancel()
  vim.api.nvim_create_autocmd('Progress', {
    group = vim.api.nvim_create_augroup('acp.progress', {}),
    pattern = 'acp',
    callback = function(args)
      local id = tonumber(tostring(args.data.id):match('^acp%.chat%.(%d+)$'))
      if args.data.status == 'cancel' and id and shown[id] then
        require('acp.host').notify_if_running('turn.cancel', { chat = id })
      end
    end,
  })
end

---@param chat acp.Chat
---@param is_running boolean
local function set_busy(chat, is_running)
  if has_busy and chat.buf and vim.api.nvim_buf_is_valid(chat.buf) then
    vim.bo[chat.buf].busy = is_running and 1 or 0
  end
end

--- The chat has a new transcript.
---@param chat acp.Chat
function M.show_in_buffer(chat)
  set_busy(chat, chat.turn ~= nil)
end

--- A turn has begun.
---@param chat acp.Chat
function M.begin(chat)
  set_busy(chat, true)
  if has_progress and require('acp.config').get().progress then
    shown[chat.id] = true
    watch_cancel()
    echo(chat, 'working', 'running')
  end
end

--- A turn has ended, in whatever way.
---@param chat acp.Chat
---@param is_failed boolean
function M.finish(chat, is_failed)
  set_busy(chat, false)
  if shown[chat.id] then
    shown[chat.id] = nil
    echo(chat, is_failed and 'failed' or 'finished', is_failed and 'failed' or 'success')
  end
end

return M
