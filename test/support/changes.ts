import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Editor } from '../../src/ports/host.ts';
import type { SessionEvent, ToolPatch } from '../../src/session/events.ts';
import { reduce } from '../../src/session/reducer.ts';
import { Changes } from '../../src/workspace/changes/changes.ts';
import type { Deeds } from '../../src/workspace/changes/deeds.ts';
import { countsOf, isChanged } from '../../src/workspace/changes/file-review.ts';
import { Files } from '../../src/workspace/files.ts';
import { OpenBuffers } from '../../src/workspace/open-buffers.ts';
import { aTurn } from './builders.ts';
import { LogDouble, ManualClock } from './doubles.ts';
import { aFolder } from './temp.ts';

export interface WatchedOptions {
  readonly folder: string;
  /** Folders of the session besides. */
  readonly directories?: readonly string[];
  readonly deeds?: Deeds;
  readonly state?: string;
  readonly clock?: ManualClock;
}

/** A session whose changes are watched, in an editor without buffers. The test is its agent. */
export class Watched {
  readonly folder: string;
  readonly changes: Changes;
  readonly log = new LogDouble();
  /** Called whenever the editor is asked something. */
  answer: () => void = () => undefined;
  private readonly files: Files;
  private readonly session = aTurn('go');
  private calls = 0;

  constructor({
    folder,
    directories = [],
    deeds,
    state = path.join(aFolder(), 'session'),
    clock = new ManualClock(),
  }: WatchedOptions) {
    this.folder = folder;
    const editor: Editor = {
      call: async () => {
        this.answer();
        return null;
      },
      tell: () => undefined,
    };
    this.changes = new Changes({
      folders: [folder, ...directories],
      state,
      editor,
      clock,
      log: this.log,
      ...(deeds && { deeds }),
    });
    onTestFinished(() => this.changes.end());
    const place = {
      ...{ chat: 1, cwd: folder, directories },
      consent: async () => true,
      report: () => undefined,
    };
    this.files = new Files(place, editor, new OpenBuffers(editor), this.changes);
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

  /** A whole turn. */
  async turn(act: () => unknown, prompt?: string): Promise<void> {
    await this.begin(prompt);
    await act();
    await this.end();
  }

  /** Writes as an agent does that asks its client to. */
  write(name: string, content: string): Promise<void> {
    return this.files.write({ path: this.at(name), content });
  }

  /** Begins to edit a file with a tool of its own; what it gives ends that. */
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

  /** All that was heard is taken in. */
  settled(): Promise<void> {
    return this.changes.ledger.run(async () => undefined);
  }

  /** What a review would list: name, lines that came, lines that went. */
  async list(scope: 'session' | 'turn' = 'session'): Promise<readonly string[]> {
    await this.changes.look();
    return [...this.changes.ledger.files.values()]
      .filter(({ review }) => isChanged(review, scope))
      .map(({ path: file, review }) => {
        const { added, removed } = countsOf(review, scope);
        return `${path.relative(this.folder, file)} +${added} -${removed}`;
      })
      .toSorted();
  }

  async rejectAll(): Promise<void> {
    await this.changes.look();
    await this.changes.decisions.decide({ verdict: 'reject', scope: 'session' });
  }

  async restore(prompt: string): Promise<void> {
    await this.changes.restoring.restore(this.checkpoint(prompt), false);
  }

  /** What going back to a prompt would change, and who else changed it. */
  async plan(prompt: string): Promise<readonly string[]> {
    const plan = await this.changes.restoring.plan(this.checkpoint(prompt));
    return plan
      .map(({ path: file, changedBy = '' }) => `${path.relative(this.folder, file)} ${changedBy}`.trim())
      .toSorted();
  }

  private checkpoint(prompt: string): number {
    return this.changes.ledger.checkpoints.find((checkpoint) => checkpoint.prompt === prompt)!.id;
  }

  hear(event: SessionEvent): void {
    reduce(this.session, event, 0);
    this.changes.hear(event, this.session);
  }
}

export function put(folder: string, name: string, content: string | Buffer): void {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
}
