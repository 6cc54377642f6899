--- Insert mode in the transcript, where a click or a plugin has brought it: what is typed there goes to the prompt.
local M = {}

local api = vim.api

-- Keys that change text without being a character of it.
local editing_keys = {
  '<CR>',
  '<NL>',
  '<Tab>',
  '<S-Tab>',
  '<BS>',
  '<C-h>',
  '<Del>',
  '<C-w>',
  '<C-u>',
  '<C-r>',
  '<C-k>',
  '<C-v>',
  '<C-q>',
  '<C-t>',
  '<C-d>',
  '<C-x>',
  '<C-n>',
  '<C-p>',
  '<C-a>',
  '<C-e>',
  '<C-y>',
}

-- Before the keys that were typed since.
---@param chat acp.Chat
---@param keys string
---@param flags string as of |nvim_feedkeys()|
local function type_in_prompt(chat, keys, flags)
  local go = "<Cmd>lua require('acp.chat.navigation.insert_mode').go(%d)<CR>"
  api.nvim_feedkeys(keys, flags, true)
  api.nvim_feedkeys(vim.keycode(go:format(chat.id)), 'ni', false)
end

--- Goes to the prompt; the mode stays.
---@param id integer of a chat
function M.go(id)
  local chat = require('acp.chats').get(id)
  if chat then
    require('acp.chat.window').go_to_prompt(chat)
  end
end

---@param chat acp.Chat
---@param buf integer
function M.watch(chat, buf)
  api.nvim_create_autocmd('InsertCharPre', {
    buffer = buf,
    callback = function()
      local character = vim.v.char
      vim.v.char = ''
      type_in_prompt(chat, character, 'ni')
    end,
  })
  local keys = require('acp.config').get().keys
  for _, key in
    ipairs(vim.list_extend({ keys.send_insert or nil, keys.paste or nil }, editing_keys))
  do
    vim.keymap.set('i', key, function()
      type_in_prompt(chat, vim.keycode(key), 'mi')
    end, { buffer = buf, nowait = true })
  end
end

return M
