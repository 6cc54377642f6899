import type { Edit } from '../diff/minimal-edits.ts';
import type { SlashCommand } from '../model/agent.ts';
import type { WaitingPrompt } from '../model/prompt.ts';
import type { Input, Picker } from './dialogs.ts';
import type { NotificationLevel } from './editor.ts';
import type { Frame } from './frame.ts';
import type { ContextRequest } from './prompt-sources.ts';
import type { ExitStatus, TerminalSize } from './terminals.ts';

/**
 * Every operation that the host runs in Neovim: what it is sent, and what it answers. `lua/acp/operations.lua` has a
 * handler for each; `nvim/operation-answers.ts` checks the answers.
 */
export interface EditorOperations {
  'host.answer': Operation<{ readonly id: number; readonly value?: unknown; readonly error?: string }>;
  'user.notify': Operation<{ readonly message: string; readonly level: NotificationLevel }>;

  'chat.draw': Operation<Frame, DrawResult>;
  'chat.state': Operation<
    InChat & {
      readonly commands: readonly SlashCommand[];
      readonly context: object;
      /** What completes the names of settings and of their values. */
      readonly settings: readonly object[];
    }
  >;
  'chat.create': Operation<{
    readonly agent: string;
    /** The session to continue; absent: a new one. */
    readonly session?: string;
    /** The folder whose worktree the session is in. */
    readonly origin?: string;
    /** Continue with a copy of the session. */
    readonly isFork?: boolean;
    readonly cwd?: string;
    readonly earlierJournal?: string;
    readonly title?: string;
    /** A line of the transcript to go to. */
    readonly line?: string;
  }>;
  'chat.show': Operation<InChat & { readonly line?: string }>;
  /** Notifies the user if they do not look at the chat. */
  'chat.notify': Operation<
    InChat & { readonly kind: 'waiting' | 'finished' | 'failed'; readonly text: string }
  >;
  /** What Lua answers `status()` from. */
  'chat.status': Operation<InChat & { readonly status: object }>;
  /** Fires a `User` event. */
  'event.emit': Operation<InChat & { readonly name: string; readonly data: object }>;
  /** Lua has a chat that the host does not have. */
  'chat.unknown': Operation<InChat>;
  'chat.end': Operation<InChat>;

  /** Answered with the operation `context.answer`, because a language server may have to be asked. */
  'context.read': Operation<InChat & { readonly id: number; readonly requests: readonly ContextRequest[] }>;
  /** The host has queued a prompt and written it to the journal: its text leaves the prompt buffer. */
  'prompt.accepted': Operation<InChat & { readonly id: string | undefined; readonly text: string }>;
  /** The mentions in a text of a buffer: row, first column, column after the last, 1 if known; four numbers each. */
  'mentions.found': Operation<
    InChat & { readonly buf: number; readonly tick: number; readonly marks: readonly number[] }
  >;
  /** Shows an earlier prompt instead of the text in the prompt buffer, which is kept. */
  'prompt.recall': Operation<InChat & { readonly text: string }>;
  /** The earlier prompts of the chat's folder, the newest first. */
  'history.set': Operation<InChat & { readonly prompts: readonly string[] }>;
  /** The turn of a prompt has ended whose sender waits for that. */
  'prompt.done': Operation<InChat & { readonly id: number; readonly turn: object }>;
  /** Prompts could not be sent: their text stays in the prompt buffer, or comes back into it as one. */
  'prompt.return': Operation<InChat & { readonly ids: readonly string[]; readonly text: string }>;
  /** What the send key does now, the prompts that wait, and what the agent suggests. */
  'prompt.state': Operation<InChat & PromptState>;
  /** The queue of an earlier chat is in the host now. `count`: the prompts of it that were not sent. */
  'queue.restored': Operation<InChat & { readonly count: number }>;
  /** Puts the beginning of a prompt above the text in the prompt buffer. */
  'prompt.begin': Operation<InChat & { readonly text: string }>;
  /** Appends to the text in the prompt buffer. */
  'prompt.add': Operation<InChat & { readonly text: string }>;

  'picker.open': Operation<DialogContext & Picker>;
  'input.open': Operation<DialogContext & Input>;
  /** The open questions of a chat, once the transcript shows them. */
  'question.waiting': Operation<
    InChat & {
      /** New ones, and those that stand elsewhere or show something else than before. */
      readonly questions: readonly WaitingQuestion[];
      /** The ids of those that are no longer open. */
      readonly gone: readonly number[];
      /** How many are open. */
      readonly count: number;
      readonly isQuiet?: boolean;
    }
  >;
  'conflict.open': Operation<
    InChat & {
      readonly id: number;
      readonly path: string;
      readonly cause: 'agent' | 'disk';
      readonly ours: readonly string[];
      readonly theirs: readonly string[];
      readonly merged: readonly string[];
    }
  >;
  'conflict.close': Operation<InChat & { readonly id: number; readonly reason?: string }>;
  'browser.open': Operation<{ readonly url: string }>;
  'prompt.insert': Operation<InChat & { readonly text: string }>;
  'media.open': Operation<{ readonly path: string }>;
  /** Shows a text in a window. */
  'text.show': Operation<{ readonly title: string; readonly lines: readonly string[] }>;
  'text.copy': Operation<{ readonly text: string }>;
  'login.ask': Operation<InChat & { readonly method: string; readonly prompt: string }>;
  'login.run': Operation<
    InChat & {
      readonly command: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    }
  >;

  /** Files may have changed on disk. */
  'files.check': Operation<Nothing>;
  'file.open': Operation<FilePosition>;
  'follow.to': Operation<FilePosition>;
  'diff.open': Operation<InChat & { readonly path: string; readonly before: string; readonly after: string }>;
  'review.open': Operation<InChat>;
  'review.show': Operation<InChat & ReviewedFile>;
  'review.quickfix': Operation<InChat & { readonly title: string; readonly items: readonly QuickfixItem[] }>;
  'restore.preview': Operation<InChat & { readonly lines: readonly string[] }>;
  'restore.read': Operation<InChat & { readonly checkpoint: number }>;
  'restore.close': Operation<InChat>;
  /** One decision that Neovim waits for before it ends is on disk. */
  'decision.done': Operation<Nothing>;

  'buffer.read': Operation<BufferQuery, BufferAnswer | undefined>;
  /** The buffers of several files, in their order. The last ones are left out if the first ones have much text. */
  'buffer.read_all': Operation<
    { readonly paths: readonly string[] },
    readonly { readonly buffer?: BufferAnswer }[]
  >;
  /** Everything that a write to a file depends on. */
  'buffer.write_target': Operation<BufferQuery, WriteTargetAnswer>;
  'buffer.change': Operation<BufferChangeRequest, BufferChangeAnswer>;
  'buffer.sync': Operation<BufferSyncRequest, 'done' | 'changed' | 'busy'>;
  'buffer.files': Operation<Nothing, readonly OpenFile[]>;
  /** Notifies the chat when one of the files changes on disk under unsaved text. */
  'buffer.watch': Operation<{ readonly paths: readonly string[]; readonly chat: number | undefined }>;
  'buffer.drop': Operation<{ readonly path: string }>;

  'terminal.open': Operation<
    {
      readonly terminal: string;
      readonly title: string;
      readonly cwd?: string;
      /** All that is left of a command that has ended. */
      readonly data?: string;
      readonly exit?: ExitStatus;
    },
    TerminalSize | undefined
  >;
  'terminal.write': Operation<
    { readonly terminal: string; readonly data: Buffer; readonly fresh: boolean },
    'written' | 'gone'
  >;
  'terminal.ended': Operation<{ readonly terminal: string } & ExitStatus>;
  'traffic.add': Operation<
    InChat & {
      readonly isNew: boolean;
      readonly oldest: number;
      readonly missed: number;
      readonly lines: readonly { readonly number: number; readonly text: string }[];
    },
    'shown' | 'gone' | undefined
  >;

  'agents.pick': Operation<Nothing>;
  'agents.open': Operation<{ readonly agent: string }>;

  'extension.request': Operation<ExtensionMessage & { readonly id: number }>;
  'extension.forget': Operation<{ readonly id: number }>;
  'extension.notification': Operation<ExtensionMessage>;
  'extension.answered': Operation<{
    readonly id: number;
    readonly result?: unknown;
    readonly error?: ExtensionError;
  }>;
}

export type EditorOperation = keyof EditorOperations;

/** An operation without an answer answers nothing; so does one for a chat that Lua has closed. */
interface Operation<Payload extends object, Answer = undefined> {
  readonly payload: Payload;
  readonly answer: Answer;
}

type Nothing = Readonly<Record<string, never>>;

interface InChat {
  readonly chat: number;
}

export interface PromptState {
  readonly isRunning: boolean;
  /** The agent takes prompts into the running turn. */
  readonly canSteer: boolean;
  /** The prompts that wait, each also as an item of the text that the user can edit. */
  readonly queued: readonly (WaitingPrompt & { readonly item: string })[];
  /** Some of them wait until the user resumes the queue. */
  readonly isPaused: boolean;
  /** The prompt of the turn, which the agent has not got yet. */
  readonly unsent?: WaitingPrompt;
  /** A text for the next prompt, in one line. */
  readonly suggestion?: string;
}

/** The chat and the question that a dialog belongs to. */
interface WaitingQuestion {
  readonly id: number;
  /** Its block in the transcript, and the first line of it there. */
  readonly block: number;
  readonly first: number;
  /** The block of the call above it that shows the plan it asks about. */
  readonly above?: number;
  /** It changes when the question shows something else. An answer in the chat names the one that was shown. */
  readonly revision: number;
  /** A digit chooses. */
  readonly hasChoices?: true;
}

interface DialogContext {
  readonly chat?: number;
  readonly id?: number;
  /** It opens by itself, and not because the user asked for it. */
  readonly opensByItself?: boolean;
  /** It opens in a window of ours, whatever the option says. */
  readonly isInFloat?: boolean;
}

interface FilePosition extends InChat {
  readonly path: string;
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
}

type DrawResult = 'drawn' | 'stale' | 'gone' | { readonly failure: string };

interface ReviewedFile {
  readonly path: string;
  readonly name: string;
  readonly kind: string;
  readonly before: readonly string[];
  readonly hunks: readonly {
    readonly from: number;
    readonly to: number;
    readonly old: number;
    readonly removed: readonly string[];
  }[];
  /** How many times the host has moved the cursor so far. */
  readonly moves: number;
  /** The line of the file in the list. */
  readonly line: number;
  /** Where the cursor goes; absent: it stays. */
  readonly row?: number;
}

interface QuickfixItem {
  readonly filename: string;
  readonly lnum: number;
  readonly end_lnum: number;
  readonly text: string;
}

interface BufferQuery {
  readonly path: string;
  /** The chat that is notified when the file changes on disk under unsaved text. */
  readonly watcher?: number;
  /** The buffer as it was last read: its lines are left out if it has not changed since. */
  readonly known?: { readonly buf: number; readonly tick: number };
}

/** How the lines of a buffer are written to its file. */
interface FileFormat {
  readonly ending: '\n' | '\r\n' | '\r';
  readonly isEnded: boolean;
  readonly hasBom: boolean;
}

export interface BufferAnswer extends FileFormat {
  readonly buf: number;
  readonly tick: number;
  readonly isModified: boolean;
  /** The time of the file when it was last read or written. */
  readonly time: string;
  readonly isCurrent: boolean;
  /** Only Neovim knows how the text is stored on disk. */
  readonly isOpaque?: boolean;
  readonly trouble?: string;
  /** The lines with newlines between them; absent when the host has them, or when there are none. */
  readonly joined?: string;
  readonly isKnown: boolean;
  /** How many U+FFFD the text contains; absent when it is known not to be UTF-8. */
  readonly marks?: number;
}

interface WriteTargetAnswer {
  readonly buffer?: BufferAnswer;
  /** Another Neovim that has unsaved changes of the file. */
  readonly otherEditor?: { readonly pid: number };
}

interface BufferChangeRequest extends FileFormat {
  readonly path: string;
  readonly buf: number;
  readonly tick: number;
  readonly edits: readonly Edit[];
  readonly isEmpty: boolean;
  readonly isKeptUnsaved: boolean;
  readonly time?: string;
  readonly unsaved?: {
    readonly edits: readonly Edit[];
    /** The edits of the request and these in one, by which cursors are moved. */
    readonly whole: readonly Edit[];
    readonly isEmpty: boolean;
  };
}

interface BufferChangeAnswer {
  readonly status: 'saved' | 'kept' | 'changed' | 'busy' | 'failed';
  readonly reason?: string;
  readonly formatted?: readonly string[];
}

interface BufferSyncRequest extends FileFormat {
  readonly path: string;
  readonly buf: number;
  readonly tick: number;
  readonly time: string;
  readonly edits: readonly Edit[];
  readonly isEmpty: boolean;
  /** The edits that put the unsaved text of the user back, after the buffer has the text of the disk. */
  readonly again: readonly Edit[];
  /** The buffer is empty after them. */
  readonly isEmptyAgain: boolean;
  /** `edits` and `again` in one, by which cursors are moved. */
  readonly whole: readonly Edit[];
}

/** A file that is open in a buffer. */
export interface OpenFile {
  readonly path: string;
  /** Differs when the file on disk was written, replaced or deleted. */
  readonly stamp: string;
  readonly isModified: boolean;
  /** The buffer was read from, or written to, what is on disk now. */
  readonly isCurrent: boolean;
}

export interface ExtensionError {
  readonly message: string;
  readonly code?: number;
  readonly data?: unknown;
}

export interface ExtensionMessage {
  readonly method: string;
  readonly context: { readonly agent: string; readonly chat?: number; readonly session?: string };
  readonly params?: unknown;
}
