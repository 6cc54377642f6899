--- Groups of autocommands.
local M = {}

local api = vim.api

--- The events after a change of a text, by a command, by typing, and by typing while a completion menu is open.
M.text_changed = { 'TextChanged', 'TextChangedI', 'TextChangedP' }

---@type table<integer, integer[]> groups by chat
local of_chats = {}

--- Begins a group that ends with a chat.
---@param name string
---@param chat acp.Chat
---@return fun(events: string|string[], callback: function, buf?: integer) on adds an autocommand
function M.group_of_chat(name, chat)
  local group = api.nvim_create_augroup(('acp.%s.%d'):format(name, chat.id), {})
  local groups = of_chats[chat.id] or {}
  if not vim.list_contains(groups, group) then
    table.insert(groups, group)
  end
  of_chats[chat.id] = groups
  return function(events, callback, buf)
    api.nvim_create_autocmd(events, { group = group, buffer = buf, callback = callback })
  end
end

--- A chat was closed.
---@param chat acp.Chat
function M.forget(chat)
  for _, group in ipairs(of_chats[chat.id] or {}) do
    api.nvim_del_augroup_by_id(group)
  end
  of_chats[chat.id] = nil
end

--- Begins a group. Autocommands of an earlier group of the same name are removed.
---@param name string
---@param buf? integer the autocommands are for this buffer only
---@return fun(events: string|string[], callback: function) on adds an autocommand
function M.group(name, buf)
  local group = api.nvim_create_augroup('acp.' .. name, {})
  return function(events, callback)
    api.nvim_create_autocmd(events, { group = group, buffer = buf, callback = callback })
  end
end

--- Calls a function when |:edit!| has emptied a buffer without a file.
---@param buf integer
---@param draw fun() fills it again
function M.on_edit(buf, draw)
  api.nvim_create_autocmd('BufReadCmd', { buffer = buf, callback = draw })
end

---@type table<string, true> groups that were begun with `group_once`
local begun = {}

--- Begins a group, unless it was begun before.
---@param name string
---@param add fun(on: fun(events: string|string[], callback: function)) adds its autocommands
function M.group_once(name, add)
  if not begun[name] then
    begun[name] = true
    add(M.group(name))
  end
end

return M
