import type { ToolEntry } from '../../model/entries.ts';
import type { TrackedFile } from '../files/file-record.ts';
import type { Ledger } from './ledger.ts';
import { contentBeforeDiff, type DiffPart } from './original-content.ts';

/** Tool calls of these kinds do not change files. */
const readOnlyKinds: ReadonlySet<string> = new Set(['read', 'search', 'think', 'fetch', 'switch_mode']);
const finalStatuses: ReadonlySet<string> = new Set(['done', 'failed', 'cancelled']);

/** Each is looked up on disk. Changes of further files in the folders are found by the scan. */
const maxLocations = 1_000;

/** The files a tool call names, with the change it reports for them. */
type NamedFiles = ReadonlyMap<string, DiffPart | undefined>;

interface ReportedCall {
  readonly id: string;
  readonly named: NamedFiles;
  readonly isOver: boolean;
}

/** Calls that one task tracks. */
interface Batch {
  readonly calls: ReportedCall[];
  /** Its number among the tasks of the session. */
  readonly task: number;
}

/** Tracks the files that tool calls of the agent name, and scans the folders when a tool call has ended. */
export class ToolCallTracker {
  private readonly ledger: Ledger;
  /** Queues a task; failures are logged. */
  private readonly run: (task: () => Promise<void>) => Promise<void>;
  private isScanDue = false;
  private batch: Batch | undefined;

  constructor(ledger: Ledger, run: (task: () => Promise<void>) => Promise<void>) {
    this.ledger = ledger;
    this.run = run;
  }

  onToolCall(tool: ToolEntry): void {
    if (readOnlyKinds.has(tool.toolKind)) return;
    const isOver = finalStatuses.has(tool.status);
    const named = namedFiles(tool);
    if (named.size > 0) {
      // A path that can't be resolved is logged by the task below.
      for (const [name, diff] of named) void this.noteEarlyContent(name, diff, isOver).catch(() => undefined);
      this.trackSoon({ id: tool.toolCallId, named, isOver });
    }
    if (isOver) this.scanSoon();
  }

  private async noteEarlyContent(name: string, diff: DiffPart | undefined, isOver: boolean): Promise<void> {
    if (!this.ledger.isSnapshotPending) return;
    const file = await this.ledger.resolvePath(name);
    await this.ledger.noteEarlyContent(file, (disk) => (diff ? contentBeforeDiff(disk, diff, isOver) : disk));
  }

  // An agent may report hundreds of calls at once. Those that no other task comes between are tracked together.
  private trackSoon(call: ReportedCall): void {
    if (this.batch && this.batch.task === this.ledger.addedTasks) {
      this.batch.calls.push(call);
      return;
    }
    const calls = [call];
    // Queued; it logs its failures.
    void this.run(() => {
      if (this.batch?.calls === calls) this.batch = undefined;
      return this.track(calls);
    });
    this.batch = { calls, task: this.ledger.addedTasks };
  }

  // A path that can't be resolved does not stop the other calls.
  private async track(calls: readonly ReportedCall[]): Promise<void> {
    const written = new Set<TrackedFile>();
    const paths = new Map<string, Promise<string>>();
    let failure: unknown;
    for (const call of calls) {
      try {
        for (const file of await this.trackFilesOf(call, paths)) if (call.isOver) written.add(file);
      } catch (error) {
        failure ??= error;
      }
    }
    for (const file of written) await this.ledger.files.refresh(file, { evidence: 'wrote' });
    for (const [id, isOver] of new Map(calls.map((call) => [call.id, call.isOver])))
      if (isOver) this.ledger.activity.endToolCall(id);
    if (failure !== undefined) throw failure;
  }

  /** `paths`: those that were resolved for other calls. */
  private async trackFilesOf(
    { id, named, isOver }: ReportedCall,
    paths: Map<string, Promise<string>>,
  ): Promise<readonly TrackedFile[]> {
    for (const name of named.keys()) if (!paths.has(name)) paths.set(name, this.ledger.resolvePath(name));
    const files = await Promise.all(
      [...named].map(async ([name, diff]) => ({ path: await paths.get(name)!, diff })),
    );
    if (!isOver)
      this.ledger.activity.beginToolCall(
        id,
        files.map((file) => file.path),
      );
    const tracked: TrackedFile[] = [];
    for (const { path, diff } of files) {
      const file = await this.ledger.track(path, (disk) =>
        diff ? contentBeforeDiff(disk, diff, isOver) : disk,
      );
      if (file) tracked.push(file);
    }
    return tracked;
  }

  // One scan covers all tool calls that end before it begins.
  private scanSoon(): void {
    if (this.isScanDue) return;
    this.isScanDue = true;
    // Queued; it logs its failures.
    void this.run(async () => {
      this.isScanDue = false;
      await this.ledger.scan('worked');
    });
  }
}

function namedFiles({ content, locations }: ToolEntry): NamedFiles {
  const named = new Map<string, DiffPart | undefined>(
    locations.slice(0, maxLocations).map((location) => [location.path, undefined]),
  );
  for (const part of content) if (part.kind === 'diff') named.set(part.path, part);
  return named;
}
