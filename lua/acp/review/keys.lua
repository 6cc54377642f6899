--- The keys of a review and what they ask of the host.
local M = {}

local api = vim.api

---@param review acp.Review
---@param op string
---@param payload? table
local function send(review, op, payload)
  local row = require('acp.review.windows').cursor_row(review)
  local about = { chat = review.chat.id, row = row, moves = review.moves }
  require('acp.host').notify(op, vim.tbl_extend('force', about, payload or {}))
end

-- In the list a key is about the file under the cursor, elsewhere about the file that is shown.
local function list_line(review)
  if api.nvim_get_current_win() == review.list then
    return api.nvim_win_get_cursor(review.list)[1] - 1
  end
end

local function decide(verdict, what)
  return function(review)
    if what == 'hunk' and not require('acp.review.windows').shows_file(review) then
      require('acp.messages').warn('nothing was decided: the hunk was not shown')
      return send(review, 'review.choose', { line = review.line })
    end
    send(review, 'review.decide', { verdict = verdict, what = what, line = list_line(review) })
  end
end

local function go(step)
  return function(review)
    send(review, 'review.go', { steps = step * vim.v.count1 })
  end
end

---@type { option: string, desc: string, run: fun(review: acp.Review), is_list?: boolean }[]
local keys = {
  { option = 'review_next', desc = 'next hunk', run = go(1) },
  { option = 'review_previous', desc = 'previous hunk', run = go(-1) },
  { option = 'review_keep', desc = 'keep the hunk', run = decide('keep', 'hunk') },
  { option = 'review_reject', desc = 'reject the hunk', run = decide('reject', 'hunk') },
  { option = 'review_keep_file', desc = 'keep the file', run = decide('keep', 'file') },
  { option = 'review_reject_file', desc = 'reject the file', run = decide('reject', 'file') },
  { option = 'review_keep_all', desc = 'keep all', run = decide('keep', 'all') },
  { option = 'review_reject_all', desc = 'reject all', run = decide('reject', 'all') },
  {
    option = 'review_undo',
    desc = 'undo the last decision',
    run = function(review)
      send(review, 'review.undo')
    end,
  },
  {
    option = 'review_close',
    desc = 'close the review',
    run = function(review)
      require('acp.review').close(review.chat)
    end,
  },
  {
    option = 'review_open',
    desc = 'show the file',
    is_list = true,
    run = function(review)
      send(review, 'review.choose', { line = list_line(review) })
    end,
  },
}

-- A mapping of the user for this buffer stays.
local function is_mapped(buf, lhs)
  return api.nvim_buf_call(buf, function()
    return vim.fn.maparg(lhs, 'n', false, true)
  end).buffer == 1
end

--- Maps the keys in a buffer of the review, or with a prefix in a file of the user.
---@param review acp.Review
---@param buf integer
---@param prefix? string comes before the keys, except for those that begin with a bracket
---@return string[] mapped
function M.map(review, buf, prefix)
  local options, mapped = require('acp.config').get().keys, {}
  for _, key in ipairs(keys) do
    local lhs = options[key.option]
    if lhs and prefix and not lhs:match('^[%[%]]') then
      lhs = prefix .. lhs
    end
    local is_elsewhere = key.is_list and buf ~= review.chat.review
    if lhs and not is_elsewhere and not (prefix and is_mapped(buf, lhs)) then
      vim.keymap.set('n', lhs, function()
        key.run(review)
      end, { buffer = buf, desc = 'acp: ' .. key.desc, nowait = true })
      table.insert(mapped, lhs)
    end
  end
  if not prefix or not is_mapped(buf, prefix .. (options.help or '')) then
    local title = prefix and 'Review, in the file' or 'Review'
    table.insert(mapped, require('acp.ui.key_help').map(buf, title, { prefix = prefix }))
  end
  return mapped
end

-- In a narrow window these are left out of the hint, in this order.
local dispensable = { 'undo', 'next hunk', 'keep', 'reject' }

---@return { name: string, text: string }[]
local function hint_pieces()
  local options, pieces = require('acp.config').get().keys, {}
  local shown = {
    { 'next hunk', options.review_next, options.review_previous },
    { 'keep', options.review_keep, options.review_keep_file },
    { 'reject', options.review_reject, options.review_reject_file },
    { 'undo', options.review_undo },
    { 'close', options.review_close },
  }
  for _, key in ipairs(shown) do
    local names = vim.tbl_filter(function(name)
      return type(name) == 'string'
    end, { unpack(key, 2, 3) })
    if #names > 0 then
      table.insert(pieces, { name = key[1], text = table.concat(names, ' ') .. ' ' .. key[1] })
    end
  end
  return pieces
end

---@param pieces { name: string, text: string }[]
---@return string
local function join(pieces)
  local texts = vim.tbl_map(function(piece)
    return piece.text
  end, pieces)
  return ' ' .. table.concat(texts, ' · ') .. ' '
end

--- The most important keys, for the statusline.
---@param room integer cells
---@return string
function M.hint(room)
  local pieces = hint_pieces()
  for _, name in ipairs(dispensable) do
    if require('acp.ui.text_width').fits(join(pieces), room) then
      break
    end
    pieces = vim.tbl_filter(function(piece)
      return piece.name ~= name
    end, pieces)
  end
  return require('acp.ui.winbar').escape(join(pieces))
end

return M
