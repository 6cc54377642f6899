--- Texts and mentions that the plugin puts into a prompt.
local M = {}

local api = vim.api
local prompt_text = require('acp.chat.prompt.text')

--- Shows an earlier prompt that the user chose.
---@param chat acp.Chat
---@param text string
function M.recall(chat, text)
  prompt_text.change(chat, function(buf)
    require('acp.chat.history').recall(chat, buf, text)
  end)
end

--- Puts the beginning of a prompt, requested by the user, above the current text.
---@param chat acp.Chat
---@param text string
function M.begin(chat, text)
  require('acp.chat.prompt').ensure_buffer(chat)
  prompt_text.change(chat, function(buf)
    prompt_text.put_above(buf, text, prompt_text.of(buf) == '')
  end)
end

---@param text string
---@param mention string
---@return boolean
local function has_mention(text, mention)
  return (' ' .. text:gsub('%s', ' ') .. ' '):find(' ' .. mention .. ' ', 1, true) ~= nil
end

-- Mentions follow each other in one line; other text is followed by a new line.
---@param buf integer
---@param mentions string
local function append_mentions(buf, mentions)
  local lines = api.nvim_buf_get_lines(buf, 0, -1, false)
  local last = lines[#lines]
  local fence = require('acp.context.append').open_fence(lines)
  if fence then
    api.nvim_buf_set_lines(buf, -1, -1, false, { fence, '', mentions })
  elseif last == '' then
    api.nvim_buf_set_lines(buf, -2, -1, false, { mentions })
  elseif vim.startswith(last, '@') then
    api.nvim_buf_set_lines(buf, -2, -1, false, { last .. ' ' .. mentions })
  else
    api.nvim_buf_set_lines(buf, -1, -1, false, { mentions })
  end
end

--- Appends mentions to the prompt, except for those that it has.
---@param chat acp.Chat
---@param mentions string[]
---@return string[] missing those that it did not have
function M.mention(chat, mentions)
  require('acp.chat.prompt').ensure_buffer(chat)
  local text = prompt_text.of(chat.prompt)
  local missing = vim.tbl_filter(function(mention)
    return not has_mention(text, mention)
  end, mentions)
  if #missing > 0 then
    prompt_text.change(chat, function(buf)
      append_mentions(buf, table.concat(missing, ' '))
    end)
  end
  return missing
end

-- Where a text is inserted: at the cursor of the window of the prompt, else at the end.
---@param buf integer
---@return integer row, integer column, integer|nil win
local function insert_position(buf)
  local win = api.nvim_get_current_buf() == buf and api.nvim_get_current_win()
    or vim.fn.bufwinid(buf)
  if win == -1 then
    local lines = api.nvim_buf_get_lines(buf, 0, -1, false)
    return #lines - 1, #lines[#lines]
  end
  local row, column = unpack(api.nvim_win_get_cursor(win))
  local line = api.nvim_buf_get_lines(buf, row - 1, row, true)[1]
  -- In Normal mode the text goes behind the character under the cursor, as with `p`.
  if not prompt_text.is_inserting(buf) and column < #line then
    column = column + #vim.fn.matchstr(line:sub(column + 1), '.')
  end
  return row - 1, math.min(column, #line), win
end

--- Inserts a mention at the cursor, with blanks around it. It is an undo step of its own.
---@param chat acp.Chat
---@param text string
function M.insert(chat, text)
  require('acp.chat.prompt').ensure_buffer(chat)
  prompt_text.change(chat, function(buf)
    local row, column, win = insert_position(buf)
    local line = api.nvim_buf_get_lines(buf, row, row + 1, true)[1]
    local before, after = line:sub(1, column), line:sub(column + 1)
    local inserted = (before:find('%S$') and ' ' or '') .. text .. (after:find('^%s') and '' or ' ')
    -- Setting it starts a new undo step.
    vim.bo[buf].undolevels = vim.bo[buf].undolevels
    api.nvim_buf_set_text(buf, row, column, row, column, { inserted })
    if win then
      local last = column + #inserted - (prompt_text.is_inserting(buf) and 0 or 1)
      api.nvim_win_set_cursor(win, { row + 1, last })
    end
  end)
end

--- Appends a text to the prompt. The user can write above it.
---@param chat acp.Chat
---@param text string
function M.add(chat, text)
  require('acp.chat.prompt').ensure_buffer(chat)
  prompt_text.change(chat, function(buf)
    api.nvim_buf_set_lines(buf, -1, -1, false, vim.list_extend({ '' }, prompt_text.lines(text)))
  end)
end

return M
