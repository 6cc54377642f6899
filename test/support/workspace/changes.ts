import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { SessionEvent, ToolPatch } from '../../../src/model/session-events.ts';
import { reduce } from '../../../src/session/reducer/reducer.ts';
import type { ChangeTracker } from '../../../src/workspace/changes/change-tracker.ts';
import { countsOf, isChanged } from '../../../src/workspace/changes/review/file-review.ts';
import type { AgentFiles } from '../../../src/workspace/files/agent-files.ts';
import { openSessionFiles, SharedFiles } from '../../../src/workspace/session-files.ts';
import { aTurn } from '../builders.ts';
import { ManualClock } from '../doubles/clock.ts';
import { answerWithoutBuffers, EditorDouble } from '../doubles/editor.ts';
import { LogDouble } from '../doubles/log.ts';
import { aFolder } from '../system/temp.ts';

export interface WatchedOptions {
  readonly folder: string;
  /** Additional folders of the session. */
  readonly directories?: readonly string[];
  readonly shared?: SharedFiles;
  readonly changesFolder?: string;
  readonly clock?: ManualClock;
}

/** The parts that sessions share, in an editor without open files. */
export function aSharedEditor(): SharedFiles {
  const editor = new EditorDouble();
  editor.call = answerWithoutBuffers;
  return new SharedFiles(editor);
}

/** A session whose changes are tracked, in an editor without buffers. The test acts as its agent. */
export class Watched {
  readonly folder: string;
  readonly changes: ChangeTracker;
  readonly log = new LogDouble();
  /** Called for each call of the editor. */
  answer: () => void = () => undefined;
  private readonly files: AgentFiles;
  private readonly session = aTurn('go');
  private calls = 0;

  constructor({
    folder,
    directories = [],
    shared = aSharedEditor(),
    changesFolder = path.join(aFolder(), 'session'),
    clock = new ManualClock(),
  }: WatchedOptions) {
    this.folder = folder;
    const editor = new EditorDouble();
    editor.call = async (op, payload) => {
      this.answer();
      return answerWithoutBuffers(op, payload);
    };
    const options = {
      ...{ chat: 1, cwd: folder, directories, changesFolder },
      consent: async () => true,
      report: () => undefined,
    };
    const session = openSessionFiles(options, { editor, clock, log: this.log, shared });
    this.changes = session.changes!;
    this.files = session.files;
    onTestFinished(() => this.changes.end());
  }

  at(name: string): string {
    return path.join(this.folder, name);
  }

  begin(prompt = 'go'): Promise<void> {
    return this.changes.beginTurn(prompt);
  }

  async end(): Promise<void> {
    this.hear({ kind: 'turn_ended', stopReason: 'end_turn' });
    await this.settled();
  }

  /** Runs a whole turn. */
  async turn(act: () => unknown, prompt?: string): Promise<void> {
    await this.begin(prompt);
    await act();
    await this.end();
  }

  /** Writes a file through the client. */
  write(name: string, content: string): Promise<void> {
    return this.files.write({ path: this.at(name), content });
  }

  /** Starts a tool call that edits a file; the returned function ends it. */
  edits(...names: readonly string[]): () => Promise<void> {
    this.calls += 1;
    const toolCallId = `call-${this.calls}`;
    const locations = names.map((name) => ({ path: this.at(name), line: undefined }));
    this.tool({ toolCallId, toolKind: 'edit', status: 'running', locations });
    return async () => {
      this.tool({ toolCallId, status: 'done' });
      await this.settled();
    };
  }

  tool(patch: ToolPatch): void {
    this.hear({ kind: 'tool', patch });
  }

  /** Waits until all events are processed. */
  settled(): Promise<void> {
    return this.changes.ledger.run(async () => undefined);
  }

  /** The files of a review: name, added lines, removed lines. */
  async list(scope: 'session' | 'turn' = 'session'): Promise<readonly string[]> {
    await this.changes.scan();
    return this.changes.files
      .filter(({ review }) => isChanged(review, scope))
      .map(({ path: file, review }) => {
        const { added, removed } = countsOf(review, scope);
        return `${path.relative(this.folder, file)} +${added} -${removed}`;
      })
      .toSorted();
  }

  async rejectAll(): Promise<void> {
    await this.changes.scan();
    await this.changes.decisions.decide({ verdict: 'reject', scope: 'session' });
  }

  async restore(prompt: string): Promise<void> {
    await this.changes.checkpoints.restore(this.checkpoint(prompt), false);
  }

  /** The files that a restore would change, and who else changed them. */
  async plan(prompt: string): Promise<readonly string[]> {
    const { files } = await this.changes.checkpoints.plan(this.checkpoint(prompt));
    return files
      .map(({ path: file, changedBy = '' }) => `${path.relative(this.folder, file)} ${changedBy}`.trim())
      .toSorted();
  }

  /** The files that a restore can't restore, and why. */
  async impossible(prompt: string): Promise<readonly string[]> {
    const { impossible } = await this.changes.checkpoints.plan(this.checkpoint(prompt));
    return impossible
      .map(({ path: file, reason }) => `${path.relative(this.folder, file)} ${reason}`)
      .toSorted();
  }

  private checkpoint(prompt: string): number {
    return this.changes.ledger.checkpoints.find((checkpoint) => checkpoint.prompt === prompt)!.id;
  }

  hear(event: SessionEvent): void {
    reduce(this.session, event, 0);
    this.changes.onEvent(event, this.session);
  }
}

export function put(folder: string, name: string, content: string | Buffer): void {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}
