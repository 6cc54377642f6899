import type { LineRange } from '../model/prompt.ts';

/** Reads what the mentions of a prompt refer to, for one chat. */
export interface PromptSources {
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** The folders of the session, `cwd` included. */
  readonly roots: readonly string[];
  /**
   * The text that the user sees: from the buffer, else from the disk. `leadsTo` is the real path, if links lead to a place
   * outside of the folders of the session. It never rejects.
   */
  readFile(path: string, range?: LineRange): Promise<SourceFile & { readonly leadsTo?: string }>;
  /** Which of these paths there is a file, a folder or a buffer for. Nothing is read. It never rejects. */
  findExisting(paths: readonly string[]): Promise<ReadonlySet<string>>;
  /** What Neovim knows, for several mentions in one request. It never rejects; the answers have the order of the requests. */
  readEditor(requests: readonly ContextRequest[]): Promise<readonly ContextAnswer[]>;
  /** What the host knows: a diff, the output of a command, another conversation. It never rejects. */
  readHost(request: ContextRequest): Promise<ContextAnswer>;
  /** Keeps what no other file has, so that the user can open it later. Returns the file. */
  keepCopy(name: string, content: string | Uint8Array): string | undefined;
}

export type SourceFile =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly size: number;
      /** Of a whole file: the file on disk has another text. */
      readonly isUnsaved?: boolean;
    }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** Larger than what can be sent. */
  | { readonly kind: 'large'; readonly size: number }
  | { readonly kind: 'binary'; readonly size: number }
  | { readonly kind: 'folder' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** A mention by name, such as `@diagnostics:all`. */
export interface ContextRequest {
  readonly name: string;
  readonly argument: string | undefined;
}

/** What a mention refers to, or why there is nothing. */
export interface ContextAnswer {
  readonly items: readonly ContextItem[];
  readonly problem?: string | undefined;
}

/** Some lines of a file, a whole file, or a text of its own. */
export interface ContextItem {
  /** Absolute. Without a text, the file is read. */
  readonly path?: string | undefined;
  readonly range?: LineRange | undefined;
  /** What a text without a file is called, such as "diagnostics of a.ts"; or a file of the plugin. */
  readonly name?: string | undefined;
  readonly text?: string | undefined;
  readonly mimeType?: string | undefined;
  /** An address that is sent as a link. */
  readonly url?: string | undefined;
}
