--- The outline of a transcript, and what it does not show of an entry.
local M = {}

local api = vim.api
local kinds = { turn = 15, tool = 12 }
-- No more of a line is searched for a link.
local searched = 8000

---@param uri string
---@return acp.Chat|nil
local function chat_of_transcript(uri)
  return select(
    2,
    vim.iter(pairs(require('acp.chats').all())):find(function(_, chat)
      return chat.buf and vim.uri_from_bufnr(chat.buf) == uri
    end)
  )
end

-- An entry begins with a blank line and a heading if they are needed; its symbol is at its first line with text.
local function first_text(buf, row, last)
  for offset, line in ipairs(api.nvim_buf_get_lines(buf, row, math.min(row + 3, last), false)) do
    if line ~= '' then
      return row + offset - 1
    end
  end
  return row
end

---@param buf integer
---@param found { block: integer, kind: 'turn'|'tool', name: string, depth: integer }[]
local function tree_of(buf, found)
  local rows = require('acp.chat.frames').block_rows(buf)
  local last = api.nvim_buf_line_count(buf)
  local top, turn = {}, nil
  for _, each in ipairs(found) do
    local row = rows[each.block]
    if row then
      local first = first_text(buf, row, last)
      local start = { line = first, character = 0 }
      local symbol = {
        name = each.name,
        kind = kinds[each.kind],
        range = { start = start, ['end'] = { line = last - 1, character = 0 } },
        selectionRange = { start = start, ['end'] = start },
        children = each.kind == 'turn' and {} or nil,
      }
      if each.kind == 'turn' then
        if turn then
          turn.range['end'] = { line = math.max(first - 1, turn.range.start.line), character = 0 }
        end
        turn = symbol
        top[#top + 1] = symbol
      else
        symbol.range['end'] = { line = first, character = 0 }
        table.insert(turn and turn.children or top, symbol)
      end
    end
  end
  return top
end

---@param params table
---@param reply acp.lsp.Reply
function M.symbols(params, reply)
  local chat = chat_of_transcript(params.textDocument.uri)
  if not chat then
    return reply({})
  end
  local buf = chat.buf
  require('acp.host.requests').ask('transcript.symbols', { chat = chat.id }, function(found)
    reply(found and buf == chat.buf and tree_of(buf, found) or {})
  end)
end

---@param params table
---@param reply acp.lsp.Reply
function M.hover(params, reply)
  local chat = chat_of_transcript(params.textDocument.uri)
  local block, line
  if chat then
    block, line = require('acp.chat.frames').block_at(chat.buf, params.position.line)
  end
  if not block then
    return reply(nil)
  end
  local row = params.position.line
  local shown = api.nvim_buf_get_lines(chat.buf, row, row + 1, false)[1] or ''
  local query = {
    chat = chat.id,
    block = block,
    line = line,
    text = shown:sub(1, searched),
    column = params.position.character,
  }
  require('acp.host.requests').ask('entry.hover', query, function(text)
    local is_text = type(text) == 'string'
    reply(is_text and { contents = { kind = 'plaintext', value = text } } or nil)
  end)
end

return M
