import { randomUUID } from 'node:crypto';
import { MarkedGroup } from '../system/marked-group.ts';
import type { OrphanGuard } from '../system/orphan-guard.ts';
import { type GroupProcess, spawnGroup } from '../system/process-group.ts';

export interface ToolRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly deadlineMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export type ToolResult =
  | { readonly kind: 'exited'; readonly code: number | null; readonly output: Buffer; readonly error: string }
  /** It was ended because it took too long, printed too much, or because the host ends. */
  | { readonly kind: 'late' | 'large' | 'cancelled' }
  | { readonly kind: 'failed'; readonly error: string };

const markName = 'ACP_CLIPBOARD';
const killMs = 1_000;
const maxError = 2_000;

/** Runs a program that reads the clipboard. Every process that it has started is gone when this resolves. */
export async function runTool(run: ToolRun, orphanGuard: OrphanGuard): Promise<ToolResult> {
  const mark = randomUUID();
  let child: GroupProcess;
  try {
    const { program, args, env } = run;
    child = spawnGroup({ command: program, args, cwd: process.cwd(), env: { ...env, [markName]: mark } });
  } catch (error) {
    return { kind: 'failed', error: String(error) };
  }
  const group =
    child.pid === undefined ? undefined : new MarkedGroup(child.pid, `${markName}=${mark}`, orphanGuard);
  child.once('exit', () => group?.noteLeaderExit());
  const result = await resultOf(child, run);
  await group?.signalAndWait('SIGKILL', killMs);
  group?.release();
  return result;
}

function resultOf(child: GroupProcess, { deadlineMs, maxBytes, signal }: ToolRun): Promise<ToolResult> {
  const chunks: Buffer[] = [];
  let [size, error] = [0, ''];
  const over = new AbortController();
  return new Promise<ToolResult>((resolve) => {
    const timer = setTimeout(() => resolve({ kind: 'late' }), deadlineMs);
    over.signal.addEventListener('abort', () => clearTimeout(timer));
    signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }), { signal: over.signal });
    if (signal.aborted) resolve({ kind: 'cancelled' });
    child.stdin.on('error', () => undefined).end();
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) resolve({ kind: 'large' });
      else chunks.push(chunk);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      error = (error + chunk.toString()).slice(0, maxError);
    });
    child.once('error', (failure) => resolve({ kind: 'failed', error: failure.message }));
    child.once('close', (code) => resolve({ kind: 'exited', code, output: Buffer.concat(chunks), error }));
  }).finally(() => over.abort());
}
