--- What happens to the chats when the host exits, and when it runs again.
local M = {}

local chats = require('acp.chats')
local messages = require('acp.messages')

-- Ends what the host had open. Returns what the user has to know of it.
local function forget_host()
  require('acp.terminal').on_host_exit()
  require('acp.review.conflict').on_host_exit()
  vim.tbl_map(require('acp.chat.prompt.sending').recover, chats.all())
  require('acp.attention').on_host_exit(chats.all())
  local count = require('acp.dialogs.question').on_host_exit(chats.all())
  return count == 0 and '' or ('; its open questions were withdrawn (%d)'):format(count)
end

local function open_all()
  vim.tbl_map(require('acp.chat.actions').open, chats.all())
end

--- The host exited on its own. It is started again unless it keeps exiting.
---@param reason string
---@param may_restart boolean
function M.on_host_exit(reason, may_restart)
  reason = reason .. forget_host()
  if may_restart then
    messages.warn(('%s; it was restarted'):format(reason))
    return open_all()
  end
  messages.error(('%s. :AcpLog shows more, :AcpRestart! tries again'):format(reason))
  for _, chat in pairs(chats.all()) do
    chat.is_open_in_host = false
    require('acp.chat.transcript').show_host_down(chat, reason)
  end
end

--- Ends the host and opens all chats in a new one.
function M.restart_host()
  require('acp.host').stop()
  forget_host()
  open_all()
end

local was_offered = false

-- Asks once; later attempts only say what is missing.
local offer_to_build = vim.schedule_wrap(function()
  if was_offered then
    return
  end
  was_offered = true
  local root = require('acp.paths').root
  require('acp.dialogs.run_command').offer({
    question = 'acp.nvim is not built. Build it',
    command = { vim.v.progpath, '-l', 'build.lua' },
    cwd = root,
    done = function()
      messages.info('acp.nvim is built')
      open_all()
    end,
  })
end)

-- The windows of a chat open before the host knows it, and a command may come in between.
---@param op string
---@param payload { chat?: integer }
local function open_first(op, payload)
  local chat = payload.chat and chats.get(payload.chat)
  if chat and not chat.is_open_in_host and op ~= 'chat.open' and op ~= 'chat.close' then
    require('acp.chat.actions').open(chat)
  end
end

local is_watching = false

--- Has the host report its exits. Called by every entry point that may start it.
function M.watch_host()
  if not is_watching then
    is_watching = true
    require('acp.host').on('start', require('acp.host.unload').prepare)
    require('acp.host').on('exit', M.on_host_exit)
    require('acp.host').on('return', open_all)
    require('acp.host').on('unbuilt', offer_to_build)
    require('acp.host').on('send', open_first)
  end
end

return M
