/** A word that may follow the `@` of a mention instead of a path. */
export interface MentionName {
  readonly name: string;
  /** Whether `:argument` may or must follow. */
  readonly argument: 'none' | 'optional' | 'required';
  /** Who knows what it refers to: Neovim, or the host. */
  readonly source: 'editor' | 'host';
  /** For the menu: at the edge of the screen it has about 45 cells for the name and this. */
  readonly description: string;
  /** What the menu has no room for. */
  readonly details?: string;
  /** The arguments that completion offers. */
  readonly choices?: readonly string[];
}

const severities = ['error', 'warn', 'info', 'hint'];

/** Every word that is a mention. `doc/acp.txt` has the same list. */
export const mentionNames: readonly MentionName[] = [
  editor('this', 'none', 'the line or the selection'),
  editor('selection', 'none', 'the lines selected last'),
  {
    ...editor('buffer', 'optional', 'the current buffer'),
    details: 'The current buffer with its unsaved changes. `@buffer:7` is the buffer with this number.',
  },
  editor('buffers', 'none', 'all listed buffers of files'),
  editor('visible', 'none', 'the lines that windows show'),
  editor('function', 'none', 'the function at the cursor'),
  editor('class', 'none', 'the class at the cursor'),
  editor('symbol', 'required', 'a symbol, by its name'),
  {
    ...editor('diagnostics', 'optional', 'those of the current buffer', [
      'all',
      ...severities,
      ...severities.map((severity) => `all:${severity}`),
    ]),
    details: 'The diagnostics of the current buffer; `:all` those of all buffers, `:error` the errors.',
  },
  editor('quickfix', 'none', 'the quickfix list'),
  editor('loclist', 'none', 'the location list'),
  editor('mark', 'required', 'the lines around a mark'),
  editor('register', 'optional', 'the content of a register'),
  editor('help', 'required', 'a topic of the help'),
  {
    ...host('diff', 'optional', 'what differs from HEAD', ['staged']),
    details: 'What differs from HEAD; `:staged` what is staged, `:main` what differs from this branch.',
  },
  host('terminal', 'none', 'output of the last command'),
  host('chat', 'required', 'a conversation, by its title'),
  {
    ...host('url', 'required', 'an address, sent as a link'),
    details: 'An address. It is sent as a link and never read.',
  },
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
