--- Draws the frames of the host into the transcript. Nothing else writes there.
local M = {}

local api = vim.api
local blocks_ns = api.nvim_create_namespace('acp.blocks')
local prompts_ns = api.nvim_create_namespace('acp.prompts')
local details_ns = api.nvim_create_namespace('acp.details')
local marks = require('acp.marks')
local activity_ns = api.nvim_create_namespace('acp.activity')

local figures = require('acp.figures')

---@class acp.Canvas what is known of a drawn transcript
---@field count integer blocks drawn
---@field tick integer changedtick after the last frame

---@type table<integer, acp.Canvas> by buffer
local canvases = {}

---@param chat acp.Chat
function M.create_buffer(chat)
  local buf = api.nvim_create_buf(false, true)
  require('acp.names').set(buf, ('acp://%s/%d'):format(chat.agent, chat.id))
  chat.buf = buf
  vim.bo[buf].bufhidden = 'hide'
  -- For 'breakindentopt': the lines of an item stand below its first word.
  vim.bo[buf].formatlistpat = [[^\s*\%([-*+]\|\d\+[.)]\)\s\+]]
  M.prepare(buf)
  require('acp.keys').map_transcript(chat)
  M.watch(chat)
  require('acp.window').set_filetype(buf, 'acp')
end

--- Makes a buffer one that frames are drawn into.
---@param buf integer
function M.prepare(buf)
  vim.bo[buf].undolevels = -1
  vim.bo[buf].modifiable = false
  marks.reset(buf)
  canvases[buf] = { count = 0, tick = api.nvim_buf_get_changedtick(buf) }
end

---@param buf integer
function M.forget(buf)
  canvases[buf] = nil
  figures.forget(buf)
  marks.forget(buf)
end

-- `:edit` unloads a buffer too, and loads it again at once.
local function after_unload(chat, buf)
  if api.nvim_buf_is_valid(buf) and api.nvim_buf_is_loaded(buf) and not chat.buf then
    chat.buf = buf
    M.prepare(buf)
    return require('acp.host').mention('chat.redraw', { chat = chat.id })
  end
  pcall(api.nvim_buf_delete, buf, { force = true })
  require('acp.window').follow_close(chat)
  require('acp.window').undress_others()
end

--- An unloaded buffer is made anew when the chat is opened again.
function M.watch(chat)
  local group = api.nvim_create_augroup('acp.chat.' .. chat.id, {})
  local buf = chat.buf
  local window = require('acp.window')
  api.nvim_create_autocmd('BufUnload', {
    group = group,
    buffer = buf,
    callback = function()
      M.forget(buf)
      chat.buf = nil
      vim.schedule(function()
        after_unload(chat, buf)
      end)
    end,
  })
  api.nvim_create_autocmd('WinScrolled', {
    group = group,
    callback = function()
      vim.tbl_map(window.adapt_to_lines, chat.buf and vim.fn.win_findbuf(chat.buf) or {})
    end,
  })
  api.nvim_create_autocmd('WinResized', {
    group = group,
    callback = function()
      M.refit(chat)
    end,
  })
  -- Neovim does not know where a window of another tab page is scrolled to.
  api.nvim_create_autocmd('TabEnter', {
    group = group,
    callback = function()
      vim.tbl_map(window.go_to_end, chat.buf and window.followers(chat.buf) or {})
    end,
  })
  api.nvim_create_autocmd('WinClosed', {
    group = group,
    buffer = buf,
    callback = vim.schedule_wrap(function()
      require('acp.window').follow_close(chat)
    end),
  })
end

local function row_of(buf, id)
  local position = api.nvim_buf_get_extmark_by_id(buf, blocks_ns, id, {})
  return assert(position[1], 'no block ' .. id)
end

local function set_marks(buf, row, p)
  marks.add(buf, p.id, p.marks)
  for _, right in ipairs(p.right) do
    figures.add(buf, row + right[1], right[2])
  end
end

-- Every patch of src/view/frame.ts. The last line of the buffer is no block: it shows what goes on.
local patch = {}

function patch.reset(buf, canvas)
  api.nvim_buf_clear_namespace(buf, -1, 0, -1)
  figures.forget(buf)
  api.nvim_buf_set_lines(buf, 0, -1, false, { '' })
  marks.reset(buf)
  canvas.count = 0
end

patch['new'] = function(buf, canvas, p)
  local row = api.nvim_buf_line_count(buf) - 1
  api.nvim_buf_set_lines(buf, row, row, false, p.lines)
  api.nvim_buf_set_extmark(buf, blocks_ns, row, 0, { id = p.id })
  if p.prompt then
    api.nvim_buf_set_extmark(buf, prompts_ns, row + p.prompt, 0, {})
  end
  set_marks(buf, row, p)
  canvas.count = canvas.count + 1
end

function patch.set(buf, _, p)
  local row = row_of(buf, p.id)
  local first = row + p.at
  api.nvim_buf_clear_namespace(buf, details_ns, first, first + p.count)
  figures.clear(buf, first, first + p.count)
  api.nvim_buf_set_lines(buf, first, first + p.count, true, p.lines)
  marks.splice(buf, p.id, p.at, p.count, #p.lines)
  -- Replacing its first line carries the mark of a block to its end.
  api.nvim_buf_set_extmark(buf, blocks_ns, row, 0, { id = p.id })
  set_marks(buf, row, p)
end

function patch.add(buf, _, p)
  local row = row_of(buf, p.id)
  local line = row + p.at
  api.nvim_buf_set_text(buf, line, p.column, line, p.column, p.lines)
  if p.isRemarked then
    marks.clear(buf, p.id, p.at)
  end
  set_marks(buf, row, p)
end

function patch.code(buf, _, p)
  vim.schedule(function()
    local ok, row = pcall(row_of, buf, p.id)
    for _, range in ipairs(ok and p.ranges or {}) do
      require('acp.code').highlight(
        buf,
        details_ns,
        row + range.from,
        row + range.to,
        range.language
      )
    end
  end)
end

---@return string|nil error
local function apply(buf, canvas, patches)
  vim.bo[buf].modifiable = true
  local ok, failure = pcall(function()
    for _, p in ipairs(patches) do
      patch[p.op](buf, canvas, p)
    end
  end)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
  canvas.tick = api.nvim_buf_get_changedtick(buf)
  return not ok and tostring(failure) or nil
end

local function show_activity(buf, pieces)
  local last = api.nvim_buf_line_count(buf) - 1
  api.nvim_buf_clear_namespace(buf, activity_ns, 0, -1)
  if #pieces > 0 then
    local options = { id = 1, virt_text = pieces, virt_text_pos = 'overlay' }
    api.nvim_buf_set_extmark(buf, activity_ns, last, 0, options)
  end
end

---@param chat acp.Chat
---@param bar { left: string[][], right: string[][] }
function M.show_winbar(chat, bar)
  chat.bar = bar
  if chat.buf then
    require('acp.winbar').show(chat.buf, bar)
  end
end

--- Lays out again what depends on the width of the windows.
---@param chat acp.Chat
function M.refit(chat)
  if chat.buf then
    vim.tbl_map(require('acp.window').adapt_to_lines, vim.fn.win_findbuf(chat.buf))
    require('acp.winbar').show(chat.buf, chat.bar)
    figures.refresh(chat.buf)
  end
end

--- Draws one frame. Says `gone` when there is no buffer, `stale` when it is not as the host thinks, and what failed.
---@return 'drawn'|'stale'|'gone'|{ failure: string }
function M.draw(frame)
  local chat = require('acp.chats').get(frame.chat)
  local buf = chat and chat[frame.part or 'buf']
  if not buf or not api.nvim_buf_is_valid(buf) then
    return 'gone'
  end
  local canvas = canvases[buf]
  if frame.winbar then
    M.show_winbar(chat, frame.winbar)
  end
  local is_fresh = frame.patches[1] and frame.patches[1].op == 'reset'
  if not is_fresh and canvas.tick ~= api.nvim_buf_get_changedtick(buf) then
    return 'stale'
  end
  local is_stream = not frame.part
  local following = is_stream and #frame.patches > 0 and require('acp.window').followers(buf) or {}
  local before = api.nvim_buf_line_count(buf)
  if #frame.patches > 0 then
    local failure = apply(buf, canvas, frame.patches)
    if failure then
      return { failure = failure }
    end
    if canvas.count ~= frame.blocks then
      return 'stale'
    end
  end
  if frame.part then
    require('acp.' .. frame.part).fit(chat)
  end
  if frame.activity then
    show_activity(buf, frame.activity)
  end
  local added = api.nvim_buf_line_count(buf) - before
  for _, win in ipairs(following) do
    require('acp.window').go_to_end(win, added >= api.nvim_win_get_height(win) / 2)
  end
  return 'drawn'
end

--- The row of a prompt of the user: so many further down, or up if the number is negative; at most the last one there.
---@param buf integer
---@param row integer 0-based
---@param steps integer
---@return integer|nil row
function M.prompt_from(buf, row, steps)
  local from, to = { row + 1, 0 }, -1
  if steps < 0 then
    if row == 0 then
      return nil
    end
    from, to = { row - 1, 0 }, 0
  end
  local marks = api.nvim_buf_get_extmarks(buf, prompts_ns, from, to, { limit = math.abs(steps) })
  local mark = marks[#marks]
  return mark and mark[2]
end

--- The block a line belongs to.
---@param buf integer
---@param row integer 0-based
---@return integer|nil id, integer|nil line which of its lines, 0-based
function M.block_at(buf, row)
  local mark = api.nvim_buf_get_extmarks(buf, blocks_ns, { row, -1 }, 0, { limit = 1 })[1]
  if mark then
    return mark[1], row - mark[2]
  end
end

return M
