--- The built-in agents. The first that is installed is the default, so a program with a name as common as `agent` comes
--- last.
---@class acp.Preset
---@field name string
---@field command string[]
---@field older? string[] the command of older releases, used where only that is installed
---@field install string how to install it, in one line
---@field node? string the Node that its current releases need
---@field login string how to log in, in one line
---@field notes? string

---@type acp.Preset[]
return {
  {
    name = 'claude',
    command = { 'claude-agent-acp' },
    older = { 'claude-code-acp' },
    install = 'npm install -g @agentclientprotocol/claude-agent-acp',
    node = '22',
    login = ':AcpLogin, or set ANTHROPIC_API_KEY',
    notes = 'An existing login of Claude Code is used. If only the older claude-code-acp is installed, it is used.',
  },
  {
    name = 'codex',
    command = { 'codex-acp' },
    install = 'npm install -g @agentclientprotocol/codex-acp',
    login = ':AcpLogin, or set OPENAI_API_KEY',
    notes = 'An existing login of Codex (`codex login`) is used.',
  },
  {
    name = 'gemini',
    command = { 'gemini', '--acp' },
    install = 'npm install -g @google/gemini-cli',
    login = ':AcpLogin, or set GEMINI_API_KEY',
    notes = 'Older releases need agents.gemini.command = { "gemini", "--experimental-acp" }.',
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
    node = '22',
    login = ':AcpLogin, or run `qwen` in a terminal and use /auth',
    notes = 'Older releases need agents.qwen.command = { "qwen", "--experimental-acp" }.',
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
    node = '22.19',
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
    notes = 'Also needs the program `pi`.',
  },
  {
    name = 'goose',
    command = { 'goose', 'acp' },
    install = 'Install goose as described in its documentation',
    login = 'run `goose configure` in a terminal',
  },
  {
    name = 'vibe',
    command = { 'vibe-acp' },
    install = 'Install Mistral Vibe as described in its documentation',
    login = 'run `vibe --setup` in a terminal, or set MISTRAL_API_KEY',
  },
  {
    name = 'cursor',
    command = { 'agent', 'acp' },
    install = 'Install the Cursor CLI as described in its documentation',
    login = 'run `agent login` in a terminal, or set CURSOR_API_KEY',
    notes = 'If another program is called `agent`, set agents.cursor.command to the path of the Cursor CLI.',
  },
}
