--- What a key does without our mapping in the buffer: a mapping of the user or of Neovim, else the key itself.
local M = {}

---@param lhs string
---@param mode string
---@return table|nil
local function global_mapping(lhs, mode)
  local raw = vim.keycode(lhs)
  for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
    if map.lhsraw == raw or map.lhsrawalt == raw then
      return map
    end
  end
end

-- The keys that a mapping stands for; nil if it ran a function instead.
---@param map table
---@return string|nil
local function keys_of(map)
  if map.expr == 1 then
    local keys = map.callback and map.callback() or vim.api.nvim_eval(map.rhs)
    local has_key_names = map.replace_keycodes == 1
    return has_key_names and vim.keycode(keys or '') or keys
  elseif map.callback then
    map.callback()
    return nil
  end
  return vim.keycode(map.rhs or '')
end

--- Does what the key would do.
---@param lhs string
---@param mode 'n'|'i'
function M.press(lhs, mode)
  local map = global_mapping(lhs, mode)
  local keys = vim.keycode(lhs)
  if map then
    keys = keys_of(map)
  end
  if keys then
    -- Before what was typed meanwhile.
    vim.api.nvim_feedkeys(keys, map and map.noremap == 0 and 'im' or 'in', false)
  end
end

return M
