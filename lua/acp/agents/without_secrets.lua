--- How the command and the address of an agent are shown: reports with them are given to others.
local M = {}

local mask = '***'

-- The host uses the same list.
---@return { names: string[], optionNames: string[], prefixes: string[] }
local function read_known()
  local file = vim.fs.joinpath(require('acp.paths').root, 'lua', 'acp', 'secret_names.json')
  return vim.json.decode(table.concat(vim.fn.readfile(file), '\n'))
end

local known = read_known()
local names = vim.list_extend(
  vim.tbl_map(function(name)
    return (name:gsub(' ', ''))
  end, known.names),
  known.optionNames
)

---@param name string
---@return boolean
local function is_secret(name)
  local plain = name:lower():gsub('[-_. ]', '')
  return vim.iter(names):any(function(part)
    return plain:find(part, 1, true) ~= nil
  end)
end

---@param word string
---@return string
local function mask_values(word)
  local function masked(name, separator, value)
    return is_secret(name) and name .. separator .. mask or name .. separator .. value
  end
  -- A word may be a whole line, as in `sh -c`.
  word = word:gsub('([%w_-]+)(=)(%S+)', masked)
  word = word:gsub('([%w_-]+)(:%s*)(%S+%s?%S*)', masked)
  word = word:gsub('(%-%-?[%w_-]+)(%s+)([^%s-]%S*)', masked)
  word = word:gsub('(://)[^/?#%s]*@', '%1'):gsub('([?&][^=&#%s]*=)[^&#%s]*', '%1' .. mask)
  for _, prefix in ipairs(known.prefixes) do
    word = word:gsub('%f[%w]' .. vim.pesc(prefix) .. '[%w_-]+', mask)
  end
  return word
end

--- A command as one line.
---@param command string[]
---@return string
function M.command(command)
  local follows_name = false
  local words = vim.tbl_map(function(word)
    local is_value = follows_name and not vim.startswith(word, '-')
    local name = word:match('^%-%-?([%w_-]+)$')
    follows_name = name ~= nil and is_secret(name)
    return is_value and mask or mask_values(word)
  end, command)
  return table.concat(words, ' ')
end

--- A URL without user, query, fragment and names that may be a key.
---@param url string
---@return string
function M.address(url)
  local plain = url:gsub('://[^/?#]*@', '://'):gsub('[?#].*', '')
  local start, path = plain:match('^(%w+://[^/]*)(.*)$')
  if not start then
    return plain
  end
  return start
    .. path:gsub('/[^/]+', function(name)
      return #name > 16 and name:find('%d') and '/…' or name
    end)
end

return M
