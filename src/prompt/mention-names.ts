/** A word that may follow the `@` of a mention instead of a path. */
export interface MentionName {
  readonly name: string;
  /** Whether `:argument` may or must follow. */
  readonly argument: 'none' | 'optional' | 'required';
  /** Who knows what it refers to: Neovim, or the host. */
  readonly source: 'editor' | 'host';
  readonly description: string;
  /** The arguments that completion offers. */
  readonly choices?: readonly string[];
}

const severities = ['error', 'warn', 'info', 'hint'];

/** Every word that is a mention. `doc/acp.txt` has the same list. */
export const mentionNames: readonly MentionName[] = [
  editor('this', 'none', 'the line of the cursor, or the selection'),
  editor('selection', 'none', 'the lines selected last'),
  editor('buffer', 'optional', 'the current buffer with its unsaved changes, or the one with a number'),
  editor('buffers', 'none', 'all listed buffers of files'),
  editor('visible', 'none', 'the lines that windows show'),
  editor('function', 'none', 'the function around the cursor'),
  editor('class', 'none', 'the class around the cursor'),
  editor('symbol', 'required', 'a symbol of the workspace, by its name'),
  editor('diagnostics', 'optional', 'the diagnostics of the current buffer, of all, or of a severity', [
    'all',
    ...severities,
    ...severities.map((severity) => `all:${severity}`),
  ]),
  editor('quickfix', 'none', 'the quickfix list'),
  editor('loclist', 'none', 'the location list'),
  editor('mark', 'required', 'the lines around a mark'),
  editor('register', 'optional', 'the content of a register'),
  editor('help', 'required', 'a topic of the help'),
  host('diff', 'optional', 'what differs from HEAD, what is staged, or what differs from a branch', [
    'staged',
  ]),
  host('terminal', 'none', 'the output of the last command'),
  host('chat', 'required', 'another conversation, by its title'),
  host('url', 'required', 'an address; it is sent as a link and never read'),
  host('picture', 'required', 'a picture that was pasted'),
];

function editor(
  name: string,
  argument: MentionName['argument'],
  description: string,
  choices?: readonly string[],
): MentionName {
  return { name, argument, source: 'editor', description, ...(choices && { choices }) };
}

function host(
  name: string,
  argument: MentionName['argument'],
  description: string,
  choices?: readonly string[],
): MentionName {
  return { name, argument, source: 'host', description, ...(choices && { choices }) };
}

const byName = new Map(mentionNames.map((each) => [each.name, each]));

export function findMentionName(name: string): MentionName | undefined {
  return byName.get(name);
}
