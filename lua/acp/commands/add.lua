--- `:AcpAdd` and the mappings that add a file or some lines to the draft.
local M = {}

--- Adds mentions to the draft of the current chat. The user stays where they are.
---@param mentions string[]
---@param is_shown? boolean whether to go to the chat
function M.add(mentions, is_shown)
  local lifecycle = require('acp.lifecycle')
  local chat = lifecycle.ensure(nil, function()
    M.add(mentions, is_shown)
  end)
  if not chat then
    return
  end
  local added = require('acp.chat.prompt.insert').mention(chat, mentions)
  if is_shown then
    return lifecycle.show(chat)
  end
  require('acp.messages').info(M.describe(mentions, added, chat.agent))
end

---@param mentions string[]
---@return string
local function count_or_name(mentions)
  return #mentions == 1 and mentions[1] or ('%d mentions'):format(#mentions)
end

--- What was added, and what was in the draft before.
---@param mentions string[]
---@param added string[] those that were not in the draft
---@param agent string
---@return string
function M.describe(mentions, added, agent)
  if #added == 0 then
    local are = #mentions == 1 and 'is' or 'are'
    return ('%s %s already in the draft for %s'):format(count_or_name(mentions), are, agent)
  end
  local before = #mentions - #added
  local rest = before == 0 and ''
    or ('; %d %s in it already'):format(before, before == 1 and 'was' or 'were')
  return ('added %s to the draft for %s%s'):format(count_or_name(added), agent, rest)
end

-- A path, which may have lines as in `a.lua:2-3`, becomes a mention, relative to the folder of the chat.
---@param word string
---@param cwd string
---@return string|nil mention nil if there is no such file
function M.mention_of(word, cwd)
  if vim.startswith(word, '@') then
    return word
  end
  local expanded = require('acp.paths').expand(word)
  local path = vim.fn.fnamemodify(expanded, ':p')
  if vim.uv.fs_stat(path) then
    return require('acp.context.reference').of(path, cwd) or '@' .. word
  end
  local without_lines = vim.fn.fnamemodify((expanded:gsub(':%d+[-,%d]*$', '')), ':p')
  local in_folder = vim.fs.joinpath(cwd, (word:gsub(':%d+[-,%d]*$', '')))
  return (vim.uv.fs_stat(without_lines) or vim.uv.fs_stat(in_folder)) and '@' .. word or nil
end

--- The mentions that begin like this: the names, then the files.
---@param lead string begins with `@`
---@return string[]
function M.complete_mention(lead)
  local typed = lead:sub(2)
  local found = vim.tbl_filter(function(name)
    return vim.startswith(name, typed)
  end, require('acp.templates').names)
  vim.list_extend(found, vim.fn.getcompletion(typed, 'file'))
  return vim.tbl_map(function(each)
    return '@' .. each
  end, found)
end

---@param args vim.api.keyset.create_user_command.command_args
function M.run(args)
  local cwd = require('acp.chats').folder()
  local mentions = {}
  if args.args:find('"') then
    -- A name with blanks is one mention.
    mentions = { vim.startswith(args.args, '@') and args.args or '@' .. args.args }
  else
    for _, word in ipairs(args.fargs) do
      local mention = M.mention_of(word, cwd)
      if not mention then
        return require('acp.messages').warn(
          ('there is no file "%s"; nothing was added'):format(word)
        )
      end
      table.insert(mentions, mention)
    end
  end
  if #mentions == 0 or args.range > 0 then
    local range = args.range > 0 and { first = args.line1, last = args.line2 } or nil
    local found, problem = require('acp.context.place').mentions(cwd, range)
    if problem then
      return require('acp.messages').warn(problem)
    end
    vim.list_extend(mentions, found)
  end
  M.add(mentions, args.bang)
end

return M
