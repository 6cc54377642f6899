--- The highlight groups, all links that a colour scheme or the user may override.
local M = {}

M.groups = {
  AcpUser = { link = 'Title', desc = 'Your name above what you wrote.' },
  AcpAgent = { link = 'Function', desc = 'The name of the agent.' },
  AcpTitle = { link = 'WinBar', desc = 'The title of the session, in the winbar.' },
  AcpMuted = {
    link = 'Comment',
    desc = 'What is there when you look for it: times, counts, output.',
  },
  AcpThought = { link = 'Comment', desc = 'What the agent thinks.' },
  AcpToolKind = { link = 'Comment', desc = 'What a tool call does.' },
  AcpToolTitle = { link = 'Normal', desc = 'What a tool call is about.' },
  AcpOutput = { link = 'Comment', desc = 'What a command wrote, where it chose no colour.' },
  AcpAnsiBlack = { link = 'NonText', desc = 'Output of a command: black.' },
  AcpAnsiRed = { link = 'DiagnosticError', desc = 'Output of a command: red.' },
  AcpAnsiGreen = { link = 'DiagnosticOk', desc = 'Output of a command: green.' },
  AcpAnsiYellow = { link = 'DiagnosticWarn', desc = 'Output of a command: yellow.' },
  AcpAnsiBlue = { link = 'Function', desc = 'Output of a command: blue.' },
  AcpAnsiMagenta = { link = 'Statement', desc = 'Output of a command: magenta.' },
  AcpAnsiCyan = { link = 'DiagnosticInfo', desc = 'Output of a command: cyan.' },
  AcpAnsiWhite = { link = 'Normal', desc = 'Output of a command: white.' },
  AcpAnsiBrightBlack = { link = 'Comment', desc = 'Output of a command: bright black, a grey.' },
  AcpAnsiBrightRed = { link = 'AcpAnsiRed', desc = 'Output of a command: bright red.' },
  AcpAnsiBrightGreen = { link = 'AcpAnsiGreen', desc = 'Output of a command: bright green.' },
  AcpAnsiBrightYellow = { link = 'AcpAnsiYellow', desc = 'Output of a command: bright yellow.' },
  AcpAnsiBrightBlue = { link = 'AcpAnsiBlue', desc = 'Output of a command: bright blue.' },
  AcpAnsiBrightMagenta = { link = 'AcpAnsiMagenta', desc = 'Output of a command: bright magenta.' },
  AcpAnsiBrightCyan = { link = 'AcpAnsiCyan', desc = 'Output of a command: bright cyan.' },
  AcpAnsiBrightWhite = { link = 'AcpAnsiWhite', desc = 'Output of a command: bright white.' },
  AcpPlan = { link = 'Title', desc = 'The heading of a plan.' },
  AcpPending = { link = 'Comment', desc = 'The sign of what has not begun.' },
  AcpRunning = { link = 'DiagnosticInfo', desc = 'The sign of what goes on.' },
  AcpDone = { link = 'DiagnosticOk', desc = 'The sign of what is done.' },
  AcpFailed = { link = 'DiagnosticError', desc = 'The sign of what failed, and error messages.' },
  AcpCancelled = { link = 'Comment', desc = 'The sign of what was cancelled.' },
  AcpWaiting = { link = 'DiagnosticWarn', desc = 'What waits for you.' },
  AcpOption = { link = 'Special', desc = 'The answers to choose from.' },
  AcpAnswer = { link = 'Normal', desc = 'The answer you gave.' },
  AcpAdded = { link = 'Added', desc = 'How many lines were added.' },
  AcpRemoved = { link = 'Removed', desc = 'How many lines were removed.' },
  AcpDiffAdd = { link = 'DiffAdd', desc = 'A change: lines that were added.' },
  AcpDiffDelete = { link = 'DiffDelete', desc = 'A change: lines that were removed.' },
  AcpDiffText = { link = 'DiffText', desc = 'A change: the words that differ in a line.' },
  AcpHeading = { link = 'Title', desc = 'Markdown: a heading.' },
  AcpQuote = { link = 'Comment', desc = 'Markdown: a quotation.' },
  AcpListMarker = { link = 'Special', desc = 'Markdown: a bullet or number.' },
  AcpCode = { link = 'String', desc = 'Markdown: code within a line.' },
  AcpHost = { link = 'Title', desc = 'The host in an address that an agent wants opened.' },
  AcpLink = { link = 'Underlined', desc = 'Links, and paths that can be opened.' },
  AcpMarkup = { link = 'NonText', desc = 'Markdown: signs that are not text.' },
  AcpPrompt = { link = 'Function', desc = 'The sign before the prompt.' },
  AcpHint = { link = 'NonText', desc = 'The keys shown in an empty prompt.' },
  AcpSeparator = { link = 'WinSeparator', desc = 'The line between chat and prompt.' },
  AcpBold = { bold = true, desc = 'Markdown: strong text.' },
  AcpItalic = { italic = true, desc = 'Markdown: emphasised text.' },
}

local function set_all()
  for name, group in pairs(M.groups) do
    local definition = { default = true, link = group.link, bold = group.bold }
    definition.italic = group.italic
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
