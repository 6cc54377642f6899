--- Highlights a finished code block once, with the tree-sitter parser of its language if there is one.
local M = {}

local max_bytes = 20000
local aliases =
  { ts = 'typescript', js = 'javascript', py = 'python', sh = 'bash', md = 'markdown' }

local function parser_for(text, name)
  local language = vim.treesitter.language.get_lang(aliases[name] or name) or name
  local ok, parser = pcall(vim.treesitter.get_string_parser, text, language)
  return ok and parser or nil, language
end

---@param buf integer
---@param ns integer
---@param from integer first row
---@param to integer row after the last
---@param name string the language as written after the fence
function M.highlight(buf, ns, from, to, name)
  local text = table.concat(vim.api.nvim_buf_get_lines(buf, from, to, false), '\n')
  if #text > max_bytes then
    return
  end
  local parser, language = parser_for(text, name)
  local query = parser and vim.treesitter.query.get(language, 'highlights')
  if not query then
    return
  end
  for id, node in query:iter_captures(parser:parse()[1]:root(), text) do
    local row, col, end_row, end_col = node:range()
    local capture = query.captures[id]
    if not vim.startswith(capture, '_') and capture ~= 'spell' and capture ~= 'nospell' then
      pcall(vim.api.nvim_buf_set_extmark, buf, ns, from + row, col, {
        end_row = from + end_row,
        end_col = end_col,
        hl_group = ('@%s.%s'):format(capture, language),
        priority = 90,
      })
    end
  end
end

return M
