--- Prompts by name: those of the plugin, and those of the option `prompts`.
local M = {}

---@class acp.Template
---@field text string|fun(context: acp.TemplateContext): string|nil
---@field desc string

---@class acp.TemplateContext
---@field this string mention of the range, or of the line of the cursor
---@field range? { first: integer, last: integer }
---@field buf integer
---@field path string name of the buffer
---@field filetype string
---@field text string what the user wrote after the command

---@type table<string, acp.Template>
M.defaults = {
  fix = { text = 'Fix {diagnostics} in {this}.', desc = 'Fix the diagnostics of this buffer' },
  explain = {
    text = 'Explain {this}: what it does, and why it does it this way.',
    desc = 'Explain this code',
  },
  test = {
    text = 'Write tests for {this}, in the style of the tests that exist.',
    desc = 'Write tests for this code',
  },
  commit = {
    text = 'Write a commit message for {diff:staged}, in the style of the last commits. Do not commit.',
    desc = 'Write a message for what is staged in git',
  },
  review = {
    text = 'Review {diff}: find mistakes, risks and what is missing. Change nothing.',
    desc = 'Review what differs from the last commit',
  },
}

-- The names of src/prompt/mention-names.ts.
M.names = {
  'this',
  'selection',
  'buffer',
  'buffers',
  'visible',
  'function',
  'class',
  'symbol',
  'diagnostics',
  'quickfix',
  'loclist',
  'mark',
  'register',
  'help',
  'diff',
  'terminal',
  'chat',
  'url',
  'picture',
}

---@param value any
---@return acp.Template|nil, string|nil complaint
local function read(name, value)
  if type(value) == 'string' or type(value) == 'function' then
    value = { text = value }
  elseif type(value) ~= 'table' then
    local expected = 'a string, a function, a table with text and desc, or false'
    return nil, ('prompts.%s is %s; expected %s'):format(name, vim.inspect(value), expected)
  end
  if type(value.text) ~= 'string' and type(value.text) ~= 'function' then
    local found = vim.inspect(value.text)
    return nil, ('prompts.%s.text is %s; expected a string or a function'):format(name, found)
  elseif value.desc ~= nil and type(value.desc) ~= 'string' then
    return nil, ('prompts.%s.desc is %s; expected a string'):format(name, vim.inspect(value.desc))
  end
  local default = type(value.text) == 'string' and vim.split(value.text, '\n')[1] or name
  return { text = value.text, desc = value.desc or default }
end

--- The templates with those of the user over them, and what is wrong with those of the user.
---@param prompts table<string, any> false removes one
---@return table<string, acp.Template>, string[] complaints
function M.merge(prompts)
  local merged, complaints = vim.deepcopy(M.defaults), {}
  for name, value in pairs(prompts) do
    if type(name) ~= 'string' or not name:find('^[%w_-]+$') then
      local message = 'prompts has the name %s; expected letters, digits, - and _'
      table.insert(complaints, message:format(vim.inspect(name)))
    elseif value == false then
      merged[name] = nil
    else
      local template, complaint = read(name, value)
      merged[name] = template or merged[name]
      table.insert(complaints, complaint)
    end
  end
  return merged, complaints
end

--- The mentions of a template: `{diff:staged}` is another spelling of `@diff:staged`, and `@this` is a place.
---@param text string
---@param this? string
---@return string
function M.expand(text, this)
  text = text:gsub('{(%l+)([^{}%s]*)}', function(name, argument)
    if vim.list_contains(M.names, name) then
      return '@' .. name .. argument
    end
  end)
  if not this then
    return text
  end
  return (text:gsub('@this%f[^%w_]', (this:gsub('%%', '%%%%'))))
end

return M
