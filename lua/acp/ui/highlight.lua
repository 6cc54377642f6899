--- The highlight groups. All are defaults, so a colour scheme or the user may override them.
local M = {}

---@class acp.HighlightGroup
---@field desc string
---@field link? string
---@field from? string a group whose colours it has; its style is the one given here
---@field tint? number background: that of the window with this share of the colour of its text
---@field bold? boolean
---@field italic? boolean

-- Comments are italic in many colour schemes, and output and figures should not be.
---@type table<string, acp.HighlightGroup>
M.groups = {
  AcpUser = { from = 'Title', bold = true, desc = 'Your name above a prompt.' },
  AcpUserBar = { from = 'Special', desc = 'The bar to the left of what you said.' },
  AcpAgent = { from = 'Function', bold = true, desc = 'The name of the agent.' },
  AcpTitle = { link = 'WinBar', desc = 'The title of the session, in the winbar.' },
  AcpMuted = {
    from = 'Comment',
    desc = 'Details: times, counts, output.',
  },
  AcpThought = { link = 'Comment', desc = 'A thought of the agent.' },
  AcpToolKind = { from = 'Comment', desc = 'The kind of a tool call.' },
  AcpToolTitle = { link = 'Normal', desc = 'The title of a tool call.' },
  AcpOutput = { from = 'Comment', desc = 'Output of a command without a colour of its own.' },
  AcpAnsiBlack = { link = 'NonText', desc = 'Output of a command: black.' },
  AcpAnsiRed = { link = 'DiagnosticError', desc = 'Output of a command: red.' },
  AcpAnsiGreen = { link = 'DiagnosticOk', desc = 'Output of a command: green.' },
  AcpAnsiYellow = { link = 'DiagnosticWarn', desc = 'Output of a command: yellow.' },
  AcpAnsiBlue = { link = 'Function', desc = 'Output of a command: blue.' },
  AcpAnsiMagenta = { link = 'Statement', desc = 'Output of a command: magenta.' },
  AcpAnsiCyan = { link = 'DiagnosticInfo', desc = 'Output of a command: cyan.' },
  AcpAnsiWhite = { link = 'Normal', desc = 'Output of a command: white.' },
  AcpAnsiBrightBlack = { from = 'Comment', desc = 'Output of a command: bright black, a grey.' },
  AcpAnsiBrightRed = { link = 'AcpAnsiRed', desc = 'Output of a command: bright red.' },
  AcpAnsiBrightGreen = { link = 'AcpAnsiGreen', desc = 'Output of a command: bright green.' },
  AcpAnsiBrightYellow = { link = 'AcpAnsiYellow', desc = 'Output of a command: bright yellow.' },
  AcpAnsiBrightBlue = { link = 'AcpAnsiBlue', desc = 'Output of a command: bright blue.' },
  AcpAnsiBrightMagenta = { link = 'AcpAnsiMagenta', desc = 'Output of a command: bright magenta.' },
  AcpAnsiBrightCyan = { link = 'AcpAnsiCyan', desc = 'Output of a command: bright cyan.' },
  AcpAnsiBrightWhite = { link = 'AcpAnsiWhite', desc = 'Output of a command: bright white.' },
  AcpPlan = { from = 'Title', bold = true, desc = 'The heading of a plan.' },
  AcpPending = { from = 'Comment', desc = 'The sign of an entry that has not started.' },
  AcpRunning = { link = 'DiagnosticInfo', desc = 'The sign of a running entry.' },
  AcpDone = { link = 'DiagnosticOk', desc = 'The sign of a completed entry.' },
  AcpFailed = { link = 'DiagnosticError', desc = 'The sign of a failed entry, and error messages.' },
  AcpCancelled = { from = 'Comment', desc = 'The sign of a cancelled entry.' },
  AcpWaiting = { link = 'DiagnosticWarn', desc = 'An open question.' },
  AcpWorktree = {
    link = 'DiagnosticHint',
    desc = 'The session has its own worktree, in the winbar.',
  },
  AcpPrivate = { link = 'DiagnosticHint', desc = 'The session is private, in the winbar.' },
  AcpAllowAll = {
    link = 'ErrorMsg',
    desc = 'The session allows everything but destructive commands, in the winbar.',
  },
  AcpOption = { link = 'Special', desc = 'The answers to a question.' },
  AcpAnswer = { link = 'Normal', desc = 'The answer you gave.' },
  AcpAdded = { link = 'Added', desc = 'Number of added lines.' },
  AcpRemoved = { link = 'Removed', desc = 'Number of removed lines.' },
  AcpDiffAdd = { link = 'DiffAdd', desc = 'Diff: added lines.' },
  AcpDiffDelete = { link = 'DiffDelete', desc = 'Diff: removed lines.' },
  AcpDiffText = { link = 'DiffText', desc = 'Diff: changed words in a line.' },
  AcpHeading1 = { from = 'Normal', bold = true, desc = 'Markdown: a heading of the first level.' },
  AcpHeading2 = { from = 'Comment', bold = true, desc = 'Markdown: a heading of the second level.' },
  AcpHeading3 = { from = 'Comment', italic = true, desc = 'Markdown: a heading of a lower level.' },
  AcpQuote = { from = 'Comment', desc = 'Markdown: a quotation.' },
  AcpListMarker = { link = 'Special', desc = 'Markdown: a bullet or number.' },
  AcpCode = { link = 'String', desc = 'Markdown: code within a line.' },
  AcpCodeBlock = { tint = 0.08, desc = 'Markdown: the background of a code block.' },
  AcpCodeLanguage = { from = 'Comment', desc = 'Markdown: the language of a code block.' },
  AcpHost = { link = 'Title', desc = 'The host name in an address that an agent asks to open.' },
  AcpLink = { link = 'Underlined', desc = 'Links, and paths that can be opened.' },
  AcpMention = { link = 'Special', desc = 'What is attached to a prompt, and a mention of it.' },
  AcpMentionUnknown = {
    link = 'DiagnosticUnderlineWarn',
    desc = 'A mention in the prompt that refers to nothing.',
  },
  AcpMarkup = { link = 'NonText', desc = 'Markdown: markup characters.' },
  AcpPrompt = { link = 'Function', desc = 'The sign to the left of the prompt.' },
  AcpSuggestion = { link = 'NonText', desc = 'What the agent suggests as the next prompt.' },
  AcpQueued = { link = 'Normal', desc = 'A prompt that waits.' },
  AcpHint = { link = 'NonText', desc = 'Keys and messages in the prompt.' },
  AcpSeparator = { link = 'WinSeparator', desc = 'The line between chat and prompt.' },
  AcpBold = { bold = true, desc = 'Markdown: strong text.' },
  AcpItalic = { italic = true, desc = 'Markdown: emphasised text.' },
}

---@param from integer colour
---@param to integer colour
---@param share number of the second one
---@return integer colour between two
local function blend(from, to, share)
  local mixed = 0
  for _, place in ipairs({ 0x10000, 0x100, 1 }) do
    local one, other = math.floor(from / place) % 256, math.floor(to / place) % 256
    mixed = mixed + math.floor(one + (other - one) * share + 0.5) * place
  end
  return mixed
end

-- A background a little lighter or darker than that of the window. Without true colours, and in a transparent window,
-- it is the one of the cursor line.
---@param share number of the colour of the text
---@return vim.api.keyset.highlight
local function tint(share)
  local normal = vim.api.nvim_get_hl(0, { name = 'Normal', link = false })
  local line = vim.api.nvim_get_hl(0, { name = 'CursorLine', link = false })
  local has_both = normal.bg and normal.fg
  return { bg = has_both and blend(normal.bg, normal.fg, share) or line.bg, ctermbg = line.ctermbg }
end

---@param group acp.HighlightGroup
---@return vim.api.keyset.highlight
local function with_colours_of(group)
  local colours = vim.api.nvim_get_hl(0, { name = group.from, link = false })
  local style = { bold = group.bold, italic = group.italic }
  return vim.tbl_extend('error', {
    fg = colours.fg,
    ctermfg = colours.ctermfg,
    cterm = next(style) and style or nil,
  }, style)
end

---@param group acp.HighlightGroup
---@return vim.api.keyset.highlight
local function definition_of(group)
  if group.tint then
    return tint(group.tint)
  elseif group.from then
    return with_colours_of(group)
  end
  return { link = group.link, bold = group.bold, italic = group.italic }
end

local function set_all()
  for name, group in pairs(M.groups) do
    local definition = vim.tbl_extend('force', definition_of(group), { default = true })
    vim.api.nvim_set_hl(0, name, definition)
  end
end

--- Defines the groups now and whenever a colour scheme has cleared them.
function M.define()
  set_all()
  vim.api.nvim_create_autocmd('ColorScheme', {
    group = vim.api.nvim_create_augroup('acp.highlight', {}),
    callback = set_all,
  })
end

return M
