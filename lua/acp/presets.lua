--- The agents known without configuration. The first that is installed is the default, so a program with a name as
--- common as `agent` stands at the end.
---@class acp.Preset
---@field name string
---@field command string[]
---@field older? string[] the command of older releases, used where only that is installed
---@field install string one line that tells how to get it
---@field login string one line that tells how to log in
---@field notes? string

---@type acp.Preset[]
return {
  {
    name = 'claude',
    command = { 'claude-agent-acp' },
    older = { 'claude-code-acp' },
    install = 'npm install -g @agentclientprotocol/claude-agent-acp',
    login = ':AcpLogin, or set ANTHROPIC_API_KEY',
    notes = 'A login of Claude Code is used too. The older claude-code-acp is used where only that is installed.',
  },
  {
    name = 'codex',
    command = { 'codex-acp' },
    install = 'npm install -g @agentclientprotocol/codex-acp',
    login = ':AcpLogin, or set OPENAI_API_KEY',
    notes = 'A login of Codex (`codex login`) is used too.',
  },
  {
    name = 'gemini',
    command = { 'gemini', '--acp' },
    install = 'npm install -g @google/gemini-cli',
    login = ':AcpLogin, or set GEMINI_API_KEY',
    notes = 'An old release needs agents.gemini.command = { "gemini", "--experimental-acp" }.',
  },
  {
    name = 'opencode',
    command = { 'opencode', 'acp' },
    install = 'npm install -g opencode-ai',
    login = ':AcpLogin, or run `opencode auth login` in a terminal',
  },
  {
    name = 'qwen',
    command = { 'qwen', '--acp' },
    install = 'npm install -g @qwen-code/qwen-code',
    login = ':AcpLogin, or run `qwen` in a terminal and use /auth',
    notes = 'An old release needs agents.qwen.command = { "qwen", "--experimental-acp" }.',
  },
  {
    name = 'copilot',
    command = { 'copilot', '--acp', '--stdio' },
    install = 'npm install -g @github/copilot',
    login = ':AcpLogin, or run `copilot` in a terminal and use /login',
  },
  {
    name = 'kimi',
    command = { 'kimi', 'acp' },
    install = 'npm install -g @moonshot-ai/kimi-code',
    login = ':AcpLogin, or run `kimi` in a terminal and use /login',
  },
  {
    name = 'kilo',
    command = { 'kilo', 'acp' },
    install = 'npm install -g @kilocode/cli',
    login = ':AcpLogin, or run `kilo auth login` in a terminal',
  },
  {
    name = 'cline',
    command = { 'cline', '--acp' },
    install = 'npm install -g cline',
    login = 'run `cline auth` in a terminal',
  },
  {
    name = 'auggie',
    command = { 'auggie', '--acp' },
    install = 'npm install -g @augmentcode/auggie',
    login = ':AcpLogin, or run `auggie login` in a terminal',
  },
  {
    name = 'pi',
    command = { 'pi-acp' },
    install = 'npm install -g pi-acp',
    login = ':AcpLogin, or run `pi` in a terminal and use /login',
    notes = 'Needs the program `pi` too.',
  },
  {
    name = 'goose',
    command = { 'goose', 'acp' },
    install = 'Install goose as its documentation says',
    login = 'run `goose configure` in a terminal',
  },
  {
    name = 'vibe',
    command = { 'vibe-acp' },
    install = 'Install Mistral Vibe as its documentation says',
    login = 'run `vibe --setup` in a terminal, or set MISTRAL_API_KEY',
  },
  {
    name = 'cursor',
    command = { 'agent', 'acp' },
    install = 'Install the Cursor CLI as its documentation says',
    login = 'run `agent login` in a terminal, or set CURSOR_API_KEY',
    notes = 'Other programs are called `agent` too; then set agents.cursor.command to its path.',
  },
}
