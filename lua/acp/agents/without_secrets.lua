--- How the command and the address of an agent are shown: reports with them are given to others.
local M = {}

local mask = '***'
local names = { 'token', 'key', 'secret', 'pass', 'auth', 'bearer', 'credential', 'cookie', 'jwt' }
-- What the keys of well-known services begin with.
local prefixes =
  { 'sk%-', 'pk%-', 'gh[pousr]_', 'github_pat_', 'xox%a%-', 'glpat%-', 'AIza', 'AKIA', 'ASIA' }

---@param name string
---@return boolean
local function is_secret(name)
  return vim.iter(names):any(function(part)
    return name:lower():find(part, 1, true) ~= nil
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
  for _, prefix in ipairs(prefixes) do
    word = word:gsub('%f[%w]' .. prefix .. '[%w_-]+', mask)
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
