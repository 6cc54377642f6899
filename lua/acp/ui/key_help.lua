--- The window that lists the keys of our windows and the commands. It is opened with `keys.help` in all of them.
local M = {}

local api = vim.api
local ns = api.nvim_create_namespace('acp.key_help')
local max_width = 84
-- The cells of keys that do the same. Those that do not fit are left out.
local max_keys = 14

---@class acp.KeySection
---@field title string
---@field buf integer

local modes = { 'n', 'i', 'x', 't' }

-- A key may do something else in another mode.
---@param buf integer
---@return { lhs: string, desc: string, modes: string }[]
local function mapped_in(buf)
  local found = {}
  for _, mode in ipairs(modes) do
    for _, map in ipairs(api.nvim_buf_get_keymap(buf, mode)) do
      local desc = map.desc and map.desc:match('^acp: (.*)')
      if desc then
        local name = map.lhs .. ' ' .. desc
        local before = found[name]
        local all_modes = before and before.modes .. ' ' .. mode or mode
        found[name] = { lhs = map.lhs, desc = desc, modes = all_modes }
      end
    end
  end
  return vim.tbl_values(found)
end

---@param one string
---@param other string
---@return boolean
local function comes_before(one, other)
  return one:lower() .. one < other:lower() .. other
end

-- Short keys are the known ones. Digits are a range.
---@param keys string[]
---@return string
local function join(keys)
  table.sort(keys, function(one, other)
    return #one < #other or (#one == #other and one < other)
  end)
  local all = table.concat(keys, ' ')
  if #all <= max_keys then
    return all
  elseif #keys[#keys] == 1 then
    return keys[1] .. ' … ' .. keys[#keys]
  end
  local count = #keys
  repeat
    count = count - 1
    all = table.concat(keys, ' ', 1, count) .. ' …'
  until count == 1 or require('acp.ui.text_width').cells(all) <= max_keys
  return all
end

-- Keys that do the same are on one line.
---@param buf integer
---@return { keys: string, modes: string, desc: string }[]
local function keys_of(buf)
  local groups = {}
  for _, key in ipairs(mapped_in(buf)) do
    local name = key.desc .. key.modes
    groups[name] = groups[name] or { desc = key.desc, modes = key.modes, keys = {} }
    table.insert(groups[name].keys, key.lhs)
  end
  local list = vim.tbl_map(function(group)
    return { keys = join(group.keys), modes = group.modes, desc = group.desc }
  end, vim.tbl_values(groups))
  table.sort(list, function(one, other)
    return comes_before(one.keys, other.keys)
  end)
  return list
end

---@return { name: string, desc: string }[]
local function commands()
  local list = {}
  for name, command in pairs(api.nvim_get_commands({})) do
    if vim.startswith(name, 'Acp') then
      table.insert(list, { name = ':' .. name, desc = command.definition })
    end
  end
  table.sort(list, function(one, other)
    return one.name < other.name
  end)
  return list
end

---@param sections acp.KeySection[]
---@return string[] lines, integer[] headings 0-based rows
local function text_of(sections)
  local lines, headings = {}, {}
  local function heading(title)
    if #lines > 0 then
      table.insert(lines, '')
    end
    table.insert(headings, #lines)
    table.insert(lines, title)
  end
  for _, section in ipairs(sections) do
    heading(section.title)
    for _, key in ipairs(keys_of(section.buf)) do
      local name = key.keys .. (' '):rep(max_keys - require('acp.ui.text_width').cells(key.keys))
      table.insert(lines, ('  %s  %-5s  %s'):format(name, key.modes, key.desc))
    end
  end
  heading('Commands')
  for _, command in ipairs(commands()) do
    table.insert(lines, ('  %-16s %s'):format(command.name, command.desc))
  end
  return lines, headings
end

---@param lines string[]
---@return integer
local function create_buffer(lines, headings)
  local buf = api.nvim_create_buf(false, true)
  local names = require('acp.ui.buffer_names')
  names.set(buf, names.make('keys'))
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  for _, row in ipairs(headings) do
    api.nvim_buf_set_extmark(buf, ns, row, 0, { end_col = #lines[row + 1], hl_group = 'Title' })
  end
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modifiable = false
  return buf
end

---@param lines string[]
---@return vim.api.keyset.win_config
local function place(lines)
  local longest = require('acp.ui.text_width').longest(lines)
  local width = math.max(1, math.min(longest + 1, max_width, vim.o.columns - 4))
  local room = vim.o.lines - vim.o.cmdheight - 4
  local height = math.max(1, math.min(#lines, room))
  return {
    relative = 'editor',
    style = 'minimal',
    border = require('acp.ui.border').style(),
    title = ' Keys and commands ',
    footer = ' q closes ',
    footer_pos = 'right',
    width = width,
    height = height,
    row = math.max(0, math.floor((room - height) / 2)),
    col = math.max(0, math.floor((vim.o.columns - width - 2) / 2)),
    zindex = 60,
  }
end

--- Lists the keys of buffers and all commands. `q` closes it.
---@param sections acp.KeySection[]
function M.show(sections)
  local lines, headings = text_of(sections)
  local buf = create_buffer(lines, headings)
  local win = api.nvim_open_win(buf, true, place(lines))
  local set = require('acp.ui.window_options').set_local
  set(win, { wrap = true, linebreak = true, breakindent = true })
  set(win, { breakindentopt = 'shift:19', winbar = '' })
  require('acp.ui.windows.kept').keep(win)
  local function close()
    if api.nvim_win_is_valid(win) then
      api.nvim_win_close(win, true)
    end
  end
  for _, lhs in ipairs({ 'q', '<Esc>', require('acp.config').get().keys.help }) do
    vim.keymap.set('n', lhs, close, { buffer = buf, desc = 'acp: close', nowait = true })
  end
  -- A window cannot be closed while it is left.
  api.nvim_create_autocmd('WinLeave', {
    buffer = buf,
    once = true,
    callback = vim.schedule_wrap(close),
  })
  vim.bo[buf].filetype = 'acp-keys'
end

--- Maps the key that lists the keys of a buffer.
---@param buf integer
---@param title string what the window is
---@param options? { prefix?: string, others?: fun(): acp.KeySection[] } what comes before the key in a buffer of the
--- user; what else is listed
---@return string|nil mapped
function M.map(buf, title, options)
  options = options or {}
  local key = require('acp.config').get().keys.help
  if not key then
    return nil
  end
  local lhs = (options.prefix or '') .. key
  vim.keymap.set('n', lhs, function()
    local sections = { { title = title, buf = buf } }
    M.show(vim.list_extend(sections, options.others and options.others() or {}))
  end, { buffer = buf, desc = 'acp: list keys and commands', nowait = true })
  return lhs
end

return M
