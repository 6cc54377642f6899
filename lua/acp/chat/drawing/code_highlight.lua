--- The colours of code: by the tree-sitter parser of its language if there is one, else by the syntax file.
local M = {}

local api = vim.api

---@class acp.CodeMark
---@field row integer from the first of the lines
---@field from integer byte
---@field end_row integer
---@field to integer byte after the last
---@field group string

---@alias acp.CodeColours fun(lines: string[], first: integer, last: integer): acp.CodeMark[]

local aliases = {
  bash = 'sh',
  csharp = 'cs',
  golang = 'go',
  md = 'markdown',
  shell = 'sh',
  ['c++'] = 'cpp',
  ['c#'] = 'cs',
  ['objective-c'] = 'objc',
}

-- The name is a language, a file type, the name of a file or its end.
---@param name string
---@return string[] file types, the most likely first
local function filetypes_of(name)
  local lower = name:lower()
  local matched = vim.filetype.match({ filename = name })
    or vim.filetype.match({ filename = 'x.' .. lower })
  return vim.tbl_filter(function(filetype)
    return filetype and filetype:match('^[%w_-]+$')
  end, { aliases[lower] or false, lower, matched or false })
end

---@param filetype string
---@return string|nil language, vim.treesitter.Query|nil query
local function query_of(filetype)
  local language = vim.treesitter.language.get_lang(filetype) or filetype
  local has_parser = pcall(vim.treesitter.get_string_parser, '', language)
  local ok, query = pcall(vim.treesitter.query.get, language, 'highlights')
  if has_parser and ok and query then
    return language, query
  end
end

---@param language string
---@param query vim.treesitter.Query
---@return acp.CodeColours
local function colours_of_parser(language, query)
  return function(lines, first, last)
    local text = table.concat(lines, '\n')
    local root = vim.treesitter.get_string_parser(text, language):parse()[1]:root()
    local marks = {}
    for id, node in query:iter_captures(root, text, first, last) do
      local capture = query.captures[id]
      if not vim.startswith(capture, '_') and capture ~= 'spell' and capture ~= 'nospell' then
        local row, from, end_row, to = node:range()
        local group = ('@%s.%s'):format(capture, language)
        table.insert(marks, { row = row, from = from, end_row = end_row, to = to, group = group })
      end
    end
    return marks
  end
end

-- A hidden buffer with the syntax of a file type. Its options would start other plugins.
---@param filetype string
---@return integer
local function make_syntax_buffer(filetype)
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].synmaxcol = 500
  api.nvim_buf_call(buf, function()
    vim.cmd(('silent! runtime! syntax/%s.vim syntax/%s.lua'):format(filetype, filetype))
  end)
  return buf
end

---@param line integer
---@param length integer
---@return integer[] the id of the syntax group of each byte
local function syntax_ids(line, length)
  local columns = math.min(length, 500)
  return columns == 0 and {}
    or api.nvim_eval(('map(range(1, %d), "synID(%d, v:val, 1)")'):format(columns, line))
end

-- A group that is linked to Normal would put the background of the window behind its text.
---@param id integer
---@return string|nil
local function group_of(id)
  if vim.fn.synIDattr(vim.fn.synIDtrans(id), 'name') ~= 'Normal' then
    return vim.fn.synIDattr(id, 'name')
  end
end

---@param filetype string
---@return acp.CodeColours
local function colours_of_syntax(filetype)
  local buf
  return function(lines, first, last)
    if not buf or not api.nvim_buf_is_valid(buf) then
      buf = make_syntax_buffer(filetype)
    end
    local marks = {}
    api.nvim_buf_set_lines(buf, 0, -1, false, lines)
    api.nvim_buf_call(buf, function()
      for row = first, last - 1 do
        local from, current = 0, 0
        local ids = syntax_ids(row + 1, #lines[row + 1])
        for column = 0, #ids do
          local id = ids[column + 1] or 0
          if id ~= current then
            local group = current ~= 0 and group_of(current)
            if group then
              table.insert(
                marks,
                { row = row, from = from, end_row = row, to = column, group = group }
              )
            end
            from, current = column, id
          end
        end
      end
    end)
    return marks
  end
end

---@type table<string, acp.CodeColours> by file type, because each has a buffer
local by_syntax = {}

---@return acp.CodeColours|false
local function find_colours(name)
  local filetypes = filetypes_of(name)
  for _, filetype in ipairs(filetypes) do
    local language, query = query_of(filetype)
    if language and query then
      return colours_of_parser(language, query)
    end
  end
  for _, filetype in ipairs(filetypes) do
    if #api.nvim_get_runtime_file(('syntax/%s.vim'):format(filetype), false) > 0 then
      by_syntax[filetype] = by_syntax[filetype] or colours_of_syntax(filetype)
      return by_syntax[filetype]
    end
  end
  return false
end

-- The names come from the agent, which may use any number of them.
local max_known, max_name = 200, 100
---@type table<string, acp.CodeColours|false>
local known = {}
local known_count = 0

---@param name string
---@return acp.CodeColours|false
local function colours_of(name)
  if known[name] == nil then
    if known_count >= max_known then
      known, known_count = {}, 0
    end
    known_count = known_count + 1
    -- Neovim 0.10 raises an error for a file name with a NUL.
    local is_found, found = pcall(find_colours, (name:gsub('%c', '')))
    known[name] = is_found and found
  end
  return known[name]
end

--- The marks of some of the lines of a text. The others are read for their context.
---@param name string the language as written after the fence
---@param lines string[]
---@param first integer
---@param last integer the line after the last
---@return acp.CodeMark[]
function M.marks(name, lines, first, last)
  local ok, marks = pcall(colours_of(name:sub(1, max_name)) or function()
    return {}
  end, lines, first, last)
  return ok and marks or {}
end

return M
