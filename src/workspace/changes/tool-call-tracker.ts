import type { ToolEntry } from '../../model/entries.ts';
import type { Ledger } from './ledger.ts';
import { contentBeforeDiff, type DiffPart } from './original-content.ts';

/** Tool calls of these kinds do not change files. */
const readOnlyKinds: ReadonlySet<string> = new Set(['read', 'search', 'think', 'fetch', 'switch_mode']);
const finalStatuses: ReadonlySet<string> = new Set(['done', 'failed', 'cancelled']);

/** The files a tool call names, with the change it reports for them. */
type NamedFiles = ReadonlyMap<string, DiffPart | undefined>;

/** Tracks the files that tool calls of the agent name, and scans the folders when a tool call has ended. */
export class ToolCallTracker {
  private readonly ledger: Ledger;
  /** Queues a task; failures are logged. */
  private readonly run: (task: () => Promise<void>) => Promise<void>;
  private isScanDue = false;

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
      // Queued; it logs its failures.
      void this.run(() => this.track(tool.toolCallId, named, isOver));
    }
    if (isOver) this.scanSoon();
  }

  private async noteEarlyContent(name: string, diff: DiffPart | undefined, isOver: boolean): Promise<void> {
    if (!this.ledger.isSnapshotPending) return;
    const file = await this.ledger.resolvePath(name);
    await this.ledger.noteEarlyContent(file, (disk) => (diff ? contentBeforeDiff(disk, diff, isOver) : disk));
  }

  private async track(call: string, named: NamedFiles, isOver: boolean): Promise<void> {
    const { activity } = this.ledger;
    const files = await Promise.all(
      [...named].map(async ([name, diff]) => ({ path: await this.ledger.resolvePath(name), diff })),
    );
    const paths = files.map((file) => file.path);
    if (!isOver) activity.beginToolCall(call, paths);
    for (const { path, diff } of files) {
      const tracked = await this.ledger.track(path, (disk) =>
        diff ? contentBeforeDiff(disk, diff, isOver) : disk,
      );
      if (tracked && isOver) await this.ledger.files.refresh(tracked, { evidence: 'wrote' });
    }
    if (isOver) activity.endToolCall(call);
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
    locations.map((location) => [location.path, undefined]),
  );
  for (const part of content) if (part.kind === 'diff') named.set(part.path, part);
  return named;
}
