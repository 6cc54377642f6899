import type { Disposable } from '../../base/disposable.ts';
import { type FileContent, sameContent } from '../files/file-content.ts';
import { type Author, type OtherChange, SharedFileRecords } from '../files/file-record.ts';

/** What suggests that the agent made a change. */
export type Evidence =
  /** The agent reports that it changed this file. */
  | 'wrote'
  /** A tool call of the agent has ended. */
  | 'worked'
  | 'none';

interface Judgement {
  readonly author: Author;
  /** False when the agent of another session may be the author. */
  readonly isSure: boolean;
}

/** The authors of the changes in all sessions of this Neovim, as far as they can be known. */
export class Authorship {
  readonly sessions = new Set<SessionActivity>();
  readonly files: SharedFileRecords;
  private count = 0;
  private time = 0;

  constructor(files = new SharedFileRecords()) {
    this.files = files;
  }

  /** `covers`: whether a file is in the folders of the session. */
  join(covers: (file: string) => boolean): SessionActivity {
    this.count += 1;
    const activity = new SessionActivity(this, this.count, covers);
    this.sessions.add(activity);
    return activity;
  }

  /** A time that orders the events of all sessions. */
  tick(): number {
    this.time += 1;
    return this.time;
  }
}

/** The turns and tool calls of one session, by which its changes are told from those of other sessions. */
export class SessionActivity implements Disposable {
  isInTurn = false;
  readonly covers: (file: string) => boolean;
  private readonly authorship: Authorship;
  private readonly session: number;
  private readonly calls = new Map<string, ReadonlySet<string>>();
  private endedAt = -1;
  private scannedAt = -1;

  constructor(authorship: Authorship, session: number, covers: (file: string) => boolean) {
    this.authorship = authorship;
    this.session = session;
    this.covers = covers;
  }

  beginTurn(): void {
    this.isInTurn = true;
  }

  endTurn(): void {
    if (this.isInTurn) this.endedAt = this.authorship.tick();
    this.isInTurn = false;
    this.calls.clear();
  }

  dispose(): void {
    this.endTurn();
    this.authorship.sessions.delete(this);
  }

  /** A running tool call names files. */
  beginToolCall(call: string, files: Iterable<string>): void {
    this.calls.set(call, new Set(files));
  }

  endToolCall(call: string): void {
    this.calls.delete(call);
  }

  /** A scan of all files begins. The function it returns is called when the scan has ended. */
  beginScan(): () => void {
    const began = this.authorship.tick();
    return () => {
      this.scannedAt = began;
    };
  }

  /** Records the author of a content for all sessions that find it. */
  recordAuthor(file: string, content: FileContent, by: Author): void {
    if (by === 'other') return;
    const author = by === 'agent' ? this.session : 'user';
    this.authorship.files.get(file).authored = { by: author, content, at: this.authorship.tick() };
  }

  /** The author of the current content is unknown. */
  forgetAuthor(file: string): void {
    this.authorship.files.get(file).authored = undefined;
  }

  judgeAuthor(file: string, now: FileContent, evidence: Evidence): Judgement {
    const { authored } = this.authorship.files.get(file);
    if (authored && authored.by !== this.session && sameContent(authored.content, now)) {
      return { author: authored.by === 'user' ? 'user' : 'other', isSure: true };
    }
    if (evidence === 'wrote') return { author: 'agent', isSure: true };
    const others = [...this.authorship.sessions].filter((other) => other !== this && other.covers(file));
    const isNamedByOther = others.some((other) => other.isNamedByToolCall(file));
    if (this.isNamedByToolCall(file)) return { author: 'agent', isSure: !isNamedByOther };
    if (isNamedByOther) return { author: 'other', isSure: true };
    if (this.isInTurn || evidence === 'worked') {
      return { author: 'agent', isSure: !others.some(({ isInTurn }) => isInTurn) };
    }
    const isOthers = others.some((other) => other.isInTurn || other.endedAt > this.scannedAt);
    return { author: isOthers ? 'other' : 'user', isSure: true };
  }

  /** The content that somebody else gave a file since the last scan. */
  contentByOthers(
    file: string,
  ): { readonly content: FileContent; readonly by: OtherChange['by'] } | undefined {
    const { authored } = this.authorship.files.get(file);
    if (!authored || authored.by === this.session || authored.at < this.scannedAt) return undefined;
    // The blob of a binary content is in the store of the session that found it.
    if (authored.content.kind === 'binary') return undefined;
    return { content: authored.content, by: authored.by === 'user' ? 'user' : 'other' };
  }

  private isNamedByToolCall(file: string): boolean {
    return [...this.calls.values()].some((files) => files.has(file));
  }
}
