--- Makes mentions of the paths of pictures and sounds that are pasted or dropped into a prompt.
local M = {}

local api = vim.api

-- What a terminal sends for a few dropped files; a longer paste is text.
local max_bytes = 8192

-- The extensions of src/media/media-type.ts. The host looks at the content when the prompt is sent.
M.extensions = {
  png = true,
  jpg = true,
  jpeg = true,
  gif = true,
  webp = true,
  bmp = true,
  wav = true,
  mp3 = true,
  ogg = true,
  oga = true,
  opus = true,
  flac = true,
  m4a = true,
}

-- The parts of a word: quoted, escaped, plain. Each is followed by the position behind it.
local word_parts = { "^'([^']*)'()", '^"([^"]*)"()', '^\\(.)()', '^([^%s\'"\\]+)()' }

---@param text string
---@param at integer
---@return string|nil part, integer|nil behind
local function part_at(text, at)
  for _, pattern in ipairs(word_parts) do
    local part, behind = text:match(pattern, at)
    if part then
      return part, behind
    end
  end
end

-- Splits at blanks and line breaks as a shell does, with quotes and backslashes. Nil if a quote is open.
---@param text string
---@return string[]|nil
local function shell_words(text)
  local words, word, at = {}, '', 1
  while at <= #text do
    local part, behind = part_at(text, at)
    if part then
      word, at = word .. part, behind
    elseif text:find('^%s', at) then
      table.insert(words, word)
      word, at = '', text:match('^%s+()', at)
    else
      return nil
    end
  end
  table.insert(words, word)
  return words
end

-- The absolute path of an existing picture or sound.
---@param word string
---@return string|nil
local function media_path(word)
  if word:find('^file://') then
    local ok, path = pcall(vim.uri_to_fname, word)
    word = ok and path or ''
  end
  word = word:gsub('^~/', (vim.env.HOME or '~') .. '/')
  local is_absolute = word:find('^/') or word:find('^%a:[/\\]')
  local extension = (word:match('%.(%w+)$') or ''):lower()
  -- A mention has no way to write a quote or a control character.
  if not is_absolute or not M.extensions[extension] or word:find('["%c]') then
    return nil
  end
  local stat = vim.uv.fs_stat(word)
  return stat and stat.type == 'file' and word or nil
end

---@param words string[]|nil
---@return string[]|nil paths, if every word is one
local function all_paths(words)
  local paths = {}
  for _, word in ipairs(words or {}) do
    local path = media_path(word)
    if not path then
      return nil
    end
    table.insert(paths, path)
  end
  return #paths > 0 and paths or nil
end

---@param path string
---@return string
local function mention_of(path)
  local name = vim.fn.fnamemodify(path, ':~:.')
  return name:find('^[%w_./~+-]+$') and '@' .. name or ('@"%s"'):format(name)
end

--- The mentions of a pasted text that has nothing but paths; nil if it has something else.
---@param text string
---@return string|nil
function M.mentions(text)
  text = vim.trim(text)
  if #text > max_bytes then
    return nil
  end
  -- A path may have blanks that nobody has escaped.
  local paths = all_paths({ text })
    or all_paths(vim.split(text, '\r?\n', { trimempty = true }))
    or all_paths(shell_words(text))
  return paths and table.concat(vim.tbl_map(mention_of, paths), ' ')
end

---@class acp.DroppedText a paste that arrives in parts
---@field buf integer
---@field parts string[]
---@field size integer

---@type acp.DroppedText|nil
local pending

-- The lines at the border of two parts belong together.
---@param parts string[]
---@return string[]
local function joined_lines(parts)
  return vim.split(table.concat(parts), '\n', { plain = true })
end

local function may_be_path(lines)
  return (lines[1] or ''):find('^%s*[/~\'"]') ~= nil
    or (lines[1] or ''):find('^%s*file:') ~= nil
    or (lines[1] or ''):find('^%s*%a:[/\\]') ~= nil
end

-- Pastes the mentions in the place of the paths, else what was pasted.
local function finish(previous, lines)
  local mentions = M.mentions(table.concat(lines, '\n'))
  if not mentions then
    return previous(lines, -1)
  end
  local column = api.nvim_win_get_cursor(0)[2]
  local before = api.nvim_get_current_line():sub(1, column)
  local buf = api.nvim_get_current_buf()
  -- Setting it starts a new undo step.
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
  return previous({ (before:find('%S$') and ' ' or '') .. mentions .. ' ' }, -1)
end

-- A terminal sends a paste in parts (phases 1 to 3), other programs at once (phase -1).
local function paste(previous, lines, phase)
  local is_prompt = vim.bo.filetype == 'acp-prompt' and not api.nvim_get_mode().mode:find('^[ct]')
  if phase == -1 or phase == 1 then
    local left = pending
    pending = nil
    if left then
      previous(joined_lines(left.parts), -1)
    end
    if not is_prompt or not may_be_path(lines) then
      return previous(lines, phase)
    elseif phase == -1 then
      return finish(previous, lines)
    end
    pending = { buf = api.nvim_get_current_buf(), parts = {}, size = 0 }
  end
  if not pending then
    return previous(lines, phase)
  end
  local part = table.concat(lines, '\n')
  table.insert(pending.parts, part)
  pending.size = pending.size + #part
  if phase ~= 3 and pending.size <= max_bytes then
    return true
  end
  local all = joined_lines(pending.parts)
  pending = nil
  if phase == 3 then
    return finish(previous, all)
  end
  return previous(all, 1)
end

local is_watching = false

--- Wraps |vim.paste()| once. The function that was there before still pastes.
function M.watch()
  if is_watching then
    return
  end
  is_watching = true
  local previous = vim.paste
  vim.paste = function(lines, phase)
    return paste(previous, lines, phase)
  end
end

return M
