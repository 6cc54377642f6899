import { randomUUID } from 'node:crypto';

/** What the user sends to an agent: the text they wrote, and what its mentions refer to. */
export interface Prompt {
  /** Tells it from another prompt with the same text, also after the end of the host. */
  readonly id?: string;
  readonly text: string;
  /** In the order of their mentions in the text. */
  readonly attachments: readonly Attachment[];
}

/** A prompt that waits until the agent can take it. */
export interface QueuedPrompt extends Prompt {
  /** Its turn was stopped before it began, so it is sent only when the user resumes the queue. */
  readonly isHeld?: true;
  /** Its attachments are not known: the user has changed its text, or the host has ended since. */
  readonly isUnresolved?: true;
  /** It was offered to the running turn, and the agent has not answered yet. */
  readonly isOffered?: true;
  /** The agent refused it until a login: the transcript has it already. */
  readonly isShown?: true;
}

/** What a mention refers to. It becomes a content block of the protocol, in the place of the mention. */
export interface Attachment {
  /**
   * `text`: made from the editor or another program, such as diagnostics; no file has it. `link`: an address that is
   * never read here, such as a web page.
   */
  readonly kind: 'file' | 'folder' | 'image' | 'audio' | 'text' | 'link';
  /** The mention in the text of the prompt: its first character and the one after its last. */
  readonly start: number;
  readonly end: number;
  readonly uri: string;
  /** What the user and the agent see. */
  readonly name: string;
  readonly mimeType?: string | undefined;
  /** In bytes. */
  readonly size?: number | undefined;
  readonly range?: LineRange | undefined;
  /** Of a file: the text differs from the file on disk. */
  readonly isUnsaved?: boolean | undefined;
  /** Of a picture. */
  readonly pixels?: PictureSize | undefined;
  /** What is sent with the prompt; absent: only the link is. Never written to a journal. */
  readonly content?: AttachmentContent | undefined;
  /** What the agent got instead of the content: a link, or nothing but the name in the text of the prompt. */
  readonly sentAs?: 'link' | 'name' | undefined;
  /** The file that keeps the content of an attachment that no other file has. */
  readonly copy?: string | undefined;
}

export type AttachmentContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly base64: string };

/** In pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** The first and the last line, counted from 1. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** A prompt as events and journals have it. Journals of earlier versions have no attachments and no ids. */
export interface PromptRecord {
  readonly id?: string;
  readonly text: string;
  readonly attachments?: readonly Attachment[];
}

/** A queued prompt as events and journals have it. */
export type QueuedPromptRecord = PromptRecord & Omit<QueuedPrompt, keyof Prompt>;

/** A prompt that waits, as Neovim knows it. */
export interface WaitingPrompt {
  readonly id: string;
  readonly text: string;
}

export function newPromptId(): string {
  return randomUUID();
}

export function textPrompt(text: string, id?: string): Prompt {
  return { ...(id !== undefined && { id }), text, attachments: [] };
}

/** Whether two are the same prompt. Those of earlier versions are known by their text. */
export function isSamePrompt(one: PromptRecord, other: PromptRecord): boolean {
  if (one.id !== undefined && other.id !== undefined) return one.id === other.id;
  return one.text === other.text;
}

const separator = '\n\n';

/** Several prompts that go back to the user as one. */
export interface JoinedPrompts extends Prompt {
  readonly ids: readonly string[];
}

/** One prompt with the texts and attachments of several. */
export function joinPrompts(prompts: readonly Prompt[]): JoinedPrompts {
  const attachments: Attachment[] = [];
  let offset = 0;
  for (const prompt of prompts) {
    for (const each of prompt.attachments) {
      attachments.push({ ...each, start: each.start + offset, end: each.end + offset });
    }
    offset += prompt.text.length + separator.length;
  }
  const ids = prompts.flatMap(({ id }) => id ?? []);
  return { ids, text: prompts.map(({ text }) => text).join(separator), attachments };
}

export function promptRecord({ id, text, attachments }: Prompt): PromptRecord {
  return { ...(id !== undefined && { id }), text, ...(attachments.length > 0 && { attachments }) };
}

export function promptFrom({ id, text, attachments = [] }: PromptRecord): Prompt {
  return { ...textPrompt(text, id), attachments };
}

/** Whether a queued prompt may be sent when the agent is idle. */
export function isSendable({ isHeld, isOffered }: QueuedPrompt): boolean {
  return !isHeld && !isOffered;
}

export function queuedRecord({ id, text, attachments, ...flags }: QueuedPrompt): QueuedPromptRecord {
  return { ...promptRecord({ ...textPrompt(text, id), attachments }), ...flags };
}

export function queuedFrom(record: QueuedPromptRecord): QueuedPrompt {
  const { isHeld, isUnresolved, isOffered, isShown } = record;
  return {
    ...promptFrom(record),
    ...(isHeld && { isHeld }),
    ...(isUnresolved && { isUnresolved }),
    ...(isOffered && { isOffered }),
    ...(isShown && { isShown }),
  };
}

/** A prompt without the content of its attachments, as journals keep it. */
export function withoutContent<T extends PromptRecord>(prompt: T): T {
  if (!prompt.attachments?.some(({ content }) => content)) return prompt;
  return { ...prompt, attachments: prompt.attachments.map((each) => ({ ...each, content: undefined })) };
}
