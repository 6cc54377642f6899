--- The option `notify`: what it may be.
local M = {}

---@class acp.Notify
---@field with (string|function)[] ways to notify
---@field on string[] kinds of notifications
---@field command? string[] program of the way `desktop`

M.ways = { 'message', 'bell', 'osc9', 'osc99', 'osc777', 'desktop' }
M.kinds = { 'waiting', 'finished', 'failed' }

---@param list any
---@param is_valid fun(value: any): boolean
---@param name string
---@param complaints string[]
---@return any[]
local function valid(list, is_valid, name, complaints)
  if type(list) ~= 'table' then
    table.insert(complaints, ('%s is %s; expected a list'):format(name, vim.inspect(list)))
    return {}
  end
  return vim.tbl_filter(function(value)
    if not is_valid(value) then
      table.insert(complaints, ('%s has an unknown value: %s'):format(name, vim.inspect(value)))
      return false
    end
    return true
  end, list)
end

--- A list names ways to notify; a table says more; `false` turns notifications off.
---@param given any
---@return acp.Notify, string[] complaints
function M.clean(given)
  local complaints = {}
  if given == false then
    return { with = {}, on = M.kinds }, complaints
  end
  local options = vim.islist(given) and { with = given } or given
  local with = valid(options.with or { 'message' }, function(way)
    return vim.is_callable(way) or vim.list_contains(M.ways, way)
  end, 'notify', complaints)
  local on = valid(options.on or M.kinds, function(kind)
    return vim.list_contains(M.kinds, kind)
  end, 'notify.on', complaints)
  local command = options.command
  if command ~= nil and (type(command) ~= 'table' or type(command[1]) ~= 'string') then
    table.insert(complaints, 'notify.command is not a list of strings')
    command = nil
  end
  return { with = with, on = on, command = command }, complaints
end

return M
