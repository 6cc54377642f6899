import type { LogLevel } from './log.ts';

/** Keys as the user has mapped them; empty: not mapped. */
export interface NamedKeys {
  readonly cancel: string;
  readonly nextQuestion: string;
  readonly diff: string;
}

/** The options of the user that the host needs. Their defaults stand in `lua/acp/config.lua`. */
export interface HostOptions {
  readonly logLevel: LogLevel;
  /** Runs a whole line for the user. */
  readonly shell: string;
  /** Whether agents must follow ACP v1 to the letter. */
  readonly isStrict: boolean;
  /** Whether methods that were only proposed are served too. */
  readonly hasProposals: boolean;
  /** What happens when an agent writes over lines that the user has changed. */
  readonly onConflict: 'ask' | 'refuse';
  /** Whether prompts are remembered on disk. */
  readonly hasHistory: boolean;
  /** How long conversations are kept: so many days, and the newest so many. */
  readonly keep: { readonly days: number; readonly count: number };
  /** The rules of the user about what agents may do. */
  readonly permissions: readonly string[];
  /** After this time without work an agent is ended; 0: never. */
  readonly idleMinutes: number;
  /** Which settings of agents are remembered for new sessions. */
  readonly remembered: readonly ('mode' | 'model' | 'options')[];
  /** The file of the remembered settings. */
  readonly settingsFile: string;
  /** The models that a key switches between; empty: all. */
  readonly models: readonly string[];
  /** The modes that a key switches between; empty: all but those that turn the questions of the agent off. */
  readonly modes: readonly string[];
  /** Another plugin draws Markdown. */
  readonly leavesMarkdown: boolean;
  /** For screen readers: no virtual text, no animation, words instead of signs. */
  readonly isPlain: boolean;
  /** The keys of the chat that its text names. */
  readonly keys: NamedKeys;
  /** Files of the permissions: the rules of the user, the trusted projects, the record of decisions. */
  readonly permissionFiles: { readonly user: string; readonly trust: string; readonly audit: string };
  /** The folders, and the first file, that this Neovim executes files of or keeps its data in. */
  readonly editorFolders: readonly string[];
}
