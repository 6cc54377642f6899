--- Shows a picker with |vim.ui.select()|, or with what the user has put in its place.
local M = {}

local api = vim.api
local closed_at = -math.huge

local later = { label = 'Later' }

--- Whether lists open in the one of Neovim: plugins may replace |vim.ui.select()| at any time.
---@return boolean
function M.is_of_neovim()
  return type(vim.ui.select) == 'function'
    and debug.getinfo(vim.ui.select, 'S').source:find('[@/]vim/ui%.lua$') ~= nil
end

--- Calls |vim.ui.select()|. Every list of the plugin goes through here.
---@param items any[]
---@param options table
---@param on_choice fun(item: any|nil)
function M.list(items, options, on_choice)
  if M.is_of_neovim() then
    -- Neovim's own list waits for a key, and windows that were opened just before would not be drawn meanwhile.
    vim.cmd.redraw()
  end
  vim.ui.select(items, options, function(item)
    closed_at = require('acp.dialogs.idle').now()
    on_choice(item)
  end)
end

--- Whether a list has just closed. The list of Neovim asks for a number or `q` and <Enter>, but `q` closes it at once.
---@return boolean
function M.has_just_closed()
  local guard_ms = require('acp.dialogs.dialog').guard_ms
  return require('acp.dialogs.idle').now() - closed_at < guard_ms
end

---@param before integer[]
---@return integer[] floats that are open now and were not before
local function floats_since(before)
  return vim.tbl_filter(function(win)
    return not vim.list_contains(before, win) and api.nvim_win_get_config(win).relative ~= ''
  end, api.nvim_list_wins())
end

-- Neovim's own list has its first line where the command line would be: without one it is not seen.
---@param prompt string
---@return string
local function visible(prompt)
  return vim.o.cmdheight == 0 and M.is_of_neovim() and '\n' .. prompt or prompt
end

-- The replacements of |vim.ui.select()| show the prompt on one line: what must be seen is at its beginning.
---@param picker acp.Picker
---@return boolean
local function fits_on_one_line(picker)
  local head = vim.list_slice(picker.body.lines, 1, picker.mustSee or 0)
  local text = table.concat(vim.list_extend({ picker.title or '' }, head), ' ')
  return require('acp.ui.text_width').fits(text, vim.o.columns)
end

--- Whether a list shows what the user must see of a picker before the answer.
---@param picker acp.Picker
---@return boolean
function M.fits(picker)
  local shorten = require('acp.dialogs.dialog').shorten
  local is_whole = shorten(picker.prompt, #picker.items, picker.isQuestion) == picker.prompt
  return is_whole and (M.is_of_neovim() or fits_on_one_line(picker))
end

-- What the question is about, for pickers with a preview. It is never needed: the chat shows all of it.
---@param picker acp.Picker
local function preview_of(picker)
  local buf
  return function()
    if not buf or not api.nvim_buf_is_valid(buf) then
      buf = require('acp.dialogs.body').create(picker.body)
    end
    return { buf = buf, pos = { 1, 0 } }
  end
end

-- A list that nobody asked for has "Later" where replacements of |vim.ui.select()| put the cursor. That of Neovim puts
-- it nowhere, and its numbers stay those of the chat.
---@param picker acp.Picker
---@return acp.PickerItem[]
local function items_of(picker)
  if not picker.opensByItself or M.is_of_neovim() then
    return picker.items
  end
  return vim.list_extend({ later }, picker.items)
end

---@param picker acp.Picker
---@param answered fun(item: any)
---@return fun() close
function M.open(picker, answered)
  local shorten = require('acp.dialogs.dialog').shorten
  local options = {
    prompt = visible(shorten(picker.prompt, #picker.items, picker.isQuestion)),
    kind = picker.kind,
    format_item = function(item)
      return item.label
    end,
  }
  if picker.body and vim.fn.has('nvim-0.12') == 1 then
    options.preview_item = preview_of(picker)
  end
  local before = api.nvim_list_wins()
  M.list(items_of(picker), options, function(item)
    answered(item ~= later and item or nil)
  end)
  local opened = floats_since(before)
  return function()
    for _, win in ipairs(opened) do
      pcall(api.nvim_win_close, win, true)
    end
  end
end

return M
