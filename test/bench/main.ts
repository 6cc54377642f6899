import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { nvimFor } from '../../scripts/nvim.mjs';
import { measureAttachments } from './attachments.ts';
import { measureBaseline } from './baseline.ts';
import { measureCompletion } from './completion.ts';
import { measureEdits } from './edits.ts';
import { measureFiles } from './files.ts';
import { measureFlood } from './flood.ts';
import { measureGrowth } from './growth.ts';
import { measureHunks } from './hunks.ts';
import { measureLatency } from './latency.ts';
import { measureLength } from './length.ts';
import { measureMemory } from './memory.ts';
import { measureNormalise } from './normalise.ts';
import { measureOpening } from './opening.ts';
import { measureStartup } from './startup.ts';
import { type Figure, tableOf } from './table.ts';
import { measureTerminal } from './terminal.ts';
import { measureTranscript } from './transcript.ts';
import { measureTyping } from './typing.ts';

type Parts = Readonly<Record<string, () => readonly Figure[] | Promise<readonly Figure[]>>>;

const parts: Parts = {
  startup: measureStartup,
  opening: measureOpening,
  latency: measureLatency,
  flood: measureFlood,
  edits: measureEdits,
  typing: measureTyping,
  memory: measureMemory,
  length: measureLength,
  files: measureFiles,
  hunks: measureHunks,
  normalise: measureNormalise,
  terminal: measureTerminal,
  baseline: measureBaseline,
  completion: measureCompletion,
  attachments: measureAttachments,
  transcript: measureTranscript,
};

/** Measured only when they are named. */
const longParts: Parts = { growth: measureGrowth };

/** Measures everything, or only the named parts, and prints the table. */
export async function bench(names: readonly string[]): Promise<void> {
  process.stdout.write(`${machine()}\n`);
  const figures: Figure[] = [];
  for (const name of names.length > 0 ? names : Object.keys(parts)) {
    const measure = parts[name] ?? longParts[name];
    const all = Object.keys({ ...parts, ...longParts });
    if (!measure) throw new Error(`There is no "${name}"; choose from ${all.join(', ')}`);
    process.stderr.write(`${name} …\n`);
    figures.push(...(await measure()));
  }
  // The `neovim` package replaces `console`.
  process.stdout.write(`\n${tableOf(figures)}\n`);
}

function machine(): string {
  const nvim = execFileSync(nvimFor('0.12'), ['--version'], { encoding: 'utf8' }).split('\n')[0];
  const cores = `${os.availableParallelism()} × ${os.cpus()[0]?.model.trim()}`;
  const load = os.loadavg()[0]!.toFixed(2);
  return `${cores}, load ${load} · Node ${process.versions.node} · ${nvim} · ${os.platform()} ${os.release()}`;
}
