--- Highlights the mentions in a prompt while it is written. The host finds them; typing never waits for it.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.context.marks')
-- A longer text is not sent to the host after every change; its mentions are found when the prompt is sent.
local max_bytes = 128 * 1024
local answer_ms = 2000

---@class acp.MentionCheck
---@field sent_at? integer when the host was asked, until it answers
---@field text? string what it was asked about
---@field asked_tick? integer of the buffer when the host was asked
---@field tick? integer of the buffer when it still had this text
---@field is_drawn? boolean the answer to it is shown
---@field has_changed? boolean the text has changed since

---@type table<integer, acp.MentionCheck> by buffer
local checks = {}

local function clear(buf)
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
end

---@param buf integer
---@return string|nil text nil if there can be no mention
local function text_with_mentions(buf)
  if api.nvim_buf_get_offset(buf, api.nvim_buf_line_count(buf)) > max_bytes then
    return nil
  end
  local text = table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
  return text:find('@', 1, true) and text or nil
end

---@param check acp.MentionCheck
local function is_waiting(check)
  return check.sent_at ~= nil and vim.uv.now() - check.sent_at < answer_ms
end

---@param chat integer
---@param buf integer
---@param text string
local function ask(chat, buf, text)
  local check = checks[buf]
  local tick = api.nvim_buf_get_changedtick(buf)
  check.has_changed, check.sent_at, check.is_drawn = false, nil, false
  check.text, check.asked_tick, check.tick = text, tick, tick
  local payload = { chat = chat, buf = buf, tick = tick, text = text }
  if require('acp.host').notify_if_running('mentions.find', payload) then
    check.sent_at = vim.uv.now()
  end
end

--- Asks the host for the mentions. While it has not answered, it is not asked again.
---@param chat integer
---@param buf integer
function M.update(chat, buf)
  local check = checks[buf] or {}
  checks[buf] = check
  if is_waiting(check) then
    check.has_changed = true
    return
  end
  local text = text_with_mentions(buf)
  if text then
    return ask(chat, buf, text)
  end
  checks[buf] = nil
  clear(buf)
end

-- The text may have changed. A completion menu that opens or closes is reported as a change too.
---@param chat integer
---@param buf integer
local function changed(chat, buf)
  local check = checks[buf]
  local is_current = check and not check.has_changed and (check.is_drawn or is_waiting(check))
  if is_current and text_with_mentions(buf) == check.text then
    check.tick = api.nvim_buf_get_changedtick(buf)
  else
    M.update(chat, buf)
  end
end

-- The user is still writing it.
local function is_at_cursor(buf, row, column)
  if api.nvim_get_current_buf() ~= buf or not api.nvim_get_mode().mode:find('^[iR]') then
    return false
  end
  local cursor = api.nvim_win_get_cursor(0)
  return cursor[1] - 1 == row and cursor[2] == column
end

---@param buf integer
---@param marks integer[] row, first column, column after the last, and 1 if it refers to something; for each mention
local function draw(buf, marks)
  clear(buf)
  for index = 1, #marks, 4 do
    local row, first, last, is_known = unpack(marks, index, index + 3)
    local group = is_known == 1 and 'AcpMention' or 'AcpMentionUnknown'
    if is_known == 1 or not is_at_cursor(buf, row, last) then
      api.nvim_buf_set_extmark(buf, ns, row, first, { end_col = last, hl_group = group })
    end
  end
end

--- The host has found the mentions of a text. An answer about an earlier text is dropped.
---@param found { chat: integer, buf: integer, tick: integer, marks: integer[] }
function M.found(found)
  local buf = found.buf
  local check = checks[buf]
  if not check or not api.nvim_buf_is_loaded(buf) then
    checks[buf] = nil
    return
  end
  if found.tick ~= check.asked_tick then
    return
  end
  check.sent_at = nil
  if check.tick == api.nvim_buf_get_changedtick(buf) then
    draw(buf, found.marks)
    check.is_drawn = true
  end
  if check.has_changed then
    M.update(found.chat, buf)
  end
end

--- Highlights the mentions in a buffer from now on.
---@param chat integer
---@param buf integer
function M.watch(chat, buf)
  local autocommands = require('acp.ui.autocommands')
  local on = autocommands.group('context.marks.' .. buf, buf)
  on(autocommands.text_changed, function()
    changed(chat, buf)
  end)
  on({ 'InsertLeave', 'BufEnter' }, function()
    M.update(chat, buf)
  end)
  on('BufUnload', function()
    checks[buf] = nil
  end)
end

return M
