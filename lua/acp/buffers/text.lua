--- The text of a buffer: what it is, how it is written, and changing it.
local M = {}

local api = vim.api
local endings = { unix = '\n', dos = '\r\n', mac = '\r' }
local formats = { ['\n'] = 'unix', ['\r\n'] = 'dos', ['\r'] = 'mac' }

--- A buffer without text has a line all the same, which is not written; one with an empty line has that.
---@param buf integer
---@return boolean
function M.is_empty(buf)
  if api.nvim_buf_line_count(buf) > 1 or api.nvim_buf_get_lines(buf, 0, 1, false)[1] ~= '' then
    return false
  end
  return api.nvim_buf_call(buf, function()
    return vim.fn.wordcount().bytes == 0
  end)
end

--- Elsewhere the byte order mark belongs to the encoding, and nobody who writes text has a say in it.
---@param buf integer
---@return boolean
function M.is_utf8(buf)
  local encoding = vim.bo[buf].fileencoding
  return encoding == '' or encoding == 'utf-8'
end

local function utf8_pattern()
  local R = vim.lpeg.R
  local more = R('\128\191')
  local two = R('\194\223') * more
  local three = '\224' * R('\160\191') * more
    + '\237' * R('\128\159') * more
    + R('\225\236', '\238\239') * more * more
  local four = '\240' * R('\144\191') * more * more
    + R('\241\243') * more * more * more
    + '\244' * R('\128\143') * more * more
  return (R('\0\127') + two + three + four) ^ 0 * -1
end

local is_utf8_text
local mark = '\239\191\189'
local short_bytes = 4096

--- How the host may know whether a text is UTF-8 from end to end. A long one it decodes with a U+FFFD for whatever is
--- not, so it need only know how many there are. In a short one it would not notice.
---@param text string
---@return integer|nil marks nothing when it is not
function M.marks(text)
  if #text < short_bytes then
    is_utf8_text = is_utf8_text or utf8_pattern()
    if not is_utf8_text:match(text) then
      return nil
    end
  end
  return text:find(mark, 1, true) and select(2, text:gsub(mark, mark)) or 0
end

---@class acp.TextKind how a text is written
---@field ending string
---@field isEnded boolean
---@field hasBom boolean

---@param buf integer
---@return acp.TextKind
function M.kind(buf)
  local options = vim.bo[buf]
  return {
    ending = endings[options.fileformat],
    isEnded = options.endofline or (options.fixendofline and not options.binary),
    hasBom = options.bomb and M.is_utf8(buf),
  }
end

---@param buf integer
---@param kind acp.TextKind
function M.set_kind(buf, kind)
  local options = vim.bo[buf]
  options.fileformat = formats[kind.ending]
  options.endofline = kind.isEnded
  if M.is_utf8(buf) then
    options.bomb = kind.hasBom
  end
end

--- Setting it ends the undo step that is open, and the next change begins another.
---@param buf integer
function M.end_undo_step(buf)
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
end

---@param buf integer
---@param edits { startRow: integer, startColumn: integer, endRow: integer, endColumn: integer, lines: string[] }[]
---@param has_no_text boolean
function M.edit(buf, edits, has_no_text)
  require('acp.midst').keep(buf, function()
    if has_no_text then
      return api.nvim_buf_set_lines(buf, 0, -1, false, {})
    elseif M.is_empty(buf) then
      -- From here on it has a line.
      api.nvim_buf_set_lines(buf, 0, -1, false, { '' })
    end
    for _, edit in ipairs(edits) do
      local from, to = { edit.startRow, edit.startColumn }, { edit.endRow, edit.endColumn }
      api.nvim_buf_set_text(buf, from[1], from[2], to[1], to[2], edit.lines)
    end
  end)
end

--- |textlock|: nothing may be changed until something of the user's own has ended.
---@param failure any
---@return boolean
function M.is_locked(failure)
  return tostring(failure):find('E565:', 1, true) ~= nil
end

return M
