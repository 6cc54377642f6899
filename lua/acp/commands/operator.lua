--- The operators that send lines, or add them to the draft. They leave the cursor and the view where they are.
local M = {}

local api = vim.api
local prefix = "v:lua.require'acp.commands.operator'."

---@class acp.Rest
---@field win integer
---@field buf integer
---@field view table

---@type acp.Rest|nil where the cursor was before the motion of the operator
local rest

local function remember()
  rest = {
    win = api.nvim_get_current_win(),
    buf = api.nvim_get_current_buf(),
    view = vim.fn.winsaveview(),
  }
end

-- Nothing is called before the motion when `.` repeats an operator, so the cursor is remembered while that may happen.
local function watch()
  local group = api.nvim_create_augroup('acp.commands.operator', {})
  api.nvim_create_autocmd({ 'CursorMoved', 'WinScrolled' }, {
    group = group,
    callback = function()
      if not vim.startswith(vim.go.operatorfunc, prefix) then
        api.nvim_del_augroup_by_id(group)
        rest = nil
      elseif api.nvim_get_mode().mode == 'n' then
        remember()
      end
    end,
  })
end

local function go_back()
  local win, buf = api.nvim_get_current_win(), api.nvim_get_current_buf()
  if rest and rest.win == win and rest.buf == buf then
    vim.fn.winrestview(rest.view)
  end
end

---@param use fun(mentions: string[])
local function run(use)
  if require('acp.commands').is_in_command_line_window() then
    return
  end
  local first, last = api.nvim_buf_get_mark(0, '[')[1], api.nvim_buf_get_mark(0, ']')[1]
  local cwd = require('acp.chats').folder()
  local mentions = require('acp.context.place').mentions(cwd, { first = first, last = last })
  go_back()
  remember()
  watch()
  if #mentions == 0 then
    return require('acp.messages').warn('there is no file in these lines')
  end
  use(mentions)
end

--- 'operatorfunc' of |<Plug>(acp-send)|.
function M.send()
  run(function(mentions)
    require('acp.commands.send').send(table.concat(mentions, ' '))
  end)
end

--- 'operatorfunc' of |<Plug>(acp-add)|.
function M.add()
  run(function(mentions)
    require('acp.commands.add').add(mentions)
  end)
end

--- Starts an operator; the keys that it returns are those of an expression mapping.
---@param name 'send'|'add'
---@param motion? string
---@return string keys
function M.start(name, motion)
  vim.go.operatorfunc = prefix .. name
  remember()
  return 'g@' .. (motion or '')
end

--- The motion of an operator that is typed twice: the line.
---@param name 'send'|'add'
---@return string keys
function M.line(name)
  local is_ours = vim.v.operator == 'g@' and vim.go.operatorfunc == prefix .. name
  return is_ours and '_' or '<Esc>'
end

return M
