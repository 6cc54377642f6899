--- The text of a buffer, its file format, and edits of it.
local M = {}

local api = vim.api
local endings = { unix = '\n', dos = '\r\n', mac = '\r' }
local formats = { ['\n'] = 'unix', ['\r\n'] = 'dos', ['\r'] = 'mac' }

--- Whether a buffer has no text. Such a buffer has one line that is not written, unlike one with an empty line.
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

--- Whether the file is UTF-8. In other encodings 'bomb' belongs to the encoding and is not changed.
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

--- How many U+FFFD a text contains, by which the host finds out whether it is valid UTF-8: decoding a long text adds
--- one for each invalid byte. Short texts are decoded differently, so they are checked here.
---@param text string
---@return integer|nil marks nil when the text is known to be invalid
function M.marks(text)
  if #text < short_bytes then
    is_utf8_text = is_utf8_text or utf8_pattern()
    if not is_utf8_text:match(text) then
      return nil
    end
  end
  return text:find(mark, 1, true) and select(2, text:gsub(mark, mark)) or 0
end

---@class acp.TextKind the file format of a text
---@field ending string
---@field isEnded boolean
---@field hasBom boolean

-- The last bytes of the file of a buffer; nil if it has none.
---@return string|nil
local function end_of_file(buf, count)
  local name = api.nvim_buf_get_name(buf)
  local stat = vim.uv.fs_stat(name)
  -- Opening a pipe would block.
  local file = stat and stat.type == 'file' and vim.uv.fs_open(name, 'r', 0)
  if not file then
    return nil
  end
  local bytes = vim.uv.fs_read(file, count, math.max(stat.size - count, 0))
  vim.uv.fs_close(file)
  return bytes
end

-- A save of the user ends the last line ('fixendofline'), but leaves 'endofline' off. Then only the file shows it.
---@param buf integer
---@return boolean
local function is_ended(buf)
  local options = vim.bo[buf]
  if options.endofline or options.binary or not options.fixendofline then
    return options.endofline
  end
  local ending = options.fileformat == 'mac' and '\r' or '\n'
  local encoding = options.fileencoding
  if vim.startswith(encoding, 'utf-16') or vim.startswith(encoding, 'ucs-2') then
    ending = vim.endswith(encoding, 'le') and ending .. '\0' or '\0' .. ending
  end
  return end_of_file(buf, #ending) == ending
end

---@param buf integer
---@return acp.TextKind
function M.kind(buf)
  local options = vim.bo[buf]
  return {
    ending = endings[options.fileformat],
    isEnded = is_ended(buf),
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

--- Ends the current undo step; setting 'undolevels' has that effect.
---@param buf integer
function M.end_undo_step(buf)
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
end

--- Says that a buffer has the text of its file, and that every other undo state of it is modified. Neovim marks these
--- states only when it writes or reloads a file itself, so the buffer is written to nowhere ('+' in 'cpoptions' lets
--- that count). Setting 'modified' would leave the state of the last save unmodified.
---@param buf integer
function M.mark_saved(buf)
  local options = vim.o.cpoptions
  vim.o.cpoptions = 'B+'
  pcall(api.nvim_buf_call, buf, function()
    vim.cmd('silent noautocmd keepalt lockmarks write! /dev/null')
  end)
  vim.o.cpoptions = options
  vim.bo[buf].modified = false
end

---@param buf integer
---@param edits { startRow: integer, startColumn: integer, endRow: integer, endColumn: integer, lines: string[] }[]
---@param has_no_text boolean
function M.edit(buf, edits, has_no_text)
  require('acp.buffers.user_activity').keep(buf, function()
    if has_no_text then
      return api.nvim_buf_set_lines(buf, 0, -1, false, {})
    elseif M.is_empty(buf) then
      -- An empty buffer must have a line to edit.
      api.nvim_buf_set_lines(buf, 0, -1, false, { '' })
    end
    for _, edit in ipairs(edits) do
      local from, to = { edit.startRow, edit.startColumn }, { edit.endRow, edit.endColumn }
      api.nvim_buf_set_text(buf, from[1], from[2], to[1], to[2], edit.lines)
    end
  end)
end

--- Whether the same change may succeed later: an error of |textlock|, until a command of the user has ended, or a
--- <C-c> of the user that arrived during the change.
---@param failure any
---@return boolean
function M.is_temporary(failure)
  local message = tostring(failure)
  return message:find('E565:', 1, true) ~= nil or message:find('Keyboard interrupt', 1, true) ~= nil
end

return M
