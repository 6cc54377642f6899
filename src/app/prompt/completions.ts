import fs from 'node:fs/promises';
import { absolutePath, displayPath, isInside } from '../../base/paths.ts';
import { settledWithin } from '../../base/timeout.ts';
import type { SlashCommand } from '../../model/agent.ts';
import type { LineRange } from '../../model/prompt.ts';
import type { Clock } from '../../ports/clock.ts';
import { BriefCache } from '../../prompt/brief-cache.ts';
import {
  type ArgumentChoice,
  type CompletionPlace,
  type Completions,
  completePrompt,
} from '../../prompt/completion.ts';
import type { FileIndex } from '../../prompt/file-index.ts';
import { type FileHints, type FileMatch, searchFiles } from '../../prompt/file-search.ts';
import { findMentions } from '../../prompt/mentions.ts';
import { listFolder } from '../../workspace/list-folder.ts';
import { listBranches } from '../../workspace/user-diff.ts';

/** What the user works with; the paths of files are absolute. */
export interface UsedFiles {
  readonly open: readonly string[];
  readonly recent: readonly string[];
  readonly current?: string | undefined;
  /** The listed buffers, the one used last first. */
  readonly buffers: readonly { readonly number: number; readonly name: string }[];
}

const noFiles: UsedFiles = { open: [], recent: [], buffers: [] };
const firstListingMs = 1_000;
const preview = { bytes: 4 * 1024, bytesToRange: 1024 * 1024, lines: 20, entries: 20 };

interface CompletionContext {
  readonly cwd: string;
  readonly roots: readonly string[];
  commands(): readonly SlashCommand[];
  /** What `@chat:` accepts. It never rejects. */
  conversationNames(): Promise<readonly string[]>;
}

/** Completes the prompts of one chat. Files of the chat's folders come from memory. */
export class PromptCompletion {
  private readonly index: FileIndex;
  private readonly context: CompletionContext;
  private readonly folders: BriefCache<readonly string[]>;
  private readonly choices: BriefCache<readonly ArgumentChoice[]>;
  private used: UsedFiles = noFiles;

  constructor(index: FileIndex, clock: Clock, context: CompletionContext) {
    this.index = index;
    this.context = context;
    this.folders = new BriefCache(clock);
    this.choices = new BriefCache(clock);
  }

  /** The user is about to write: lists the files, so that they are known when they are needed. */
  prepare(used: UsedFiles): void {
    this.used = used;
    for (const root of this.context.roots) this.index.get(root);
  }

  complete(place: CompletionPlace): Promise<Completions> {
    return completePrompt(place, {
      commands: this.context.commands(),
      searchFiles: (query, limit) => this.searchFiles(query, limit),
      listFolder: (folder) => {
        const absolute = absolutePath(folder, this.context.cwd);
        return this.folders.get(absolute, () => listFolder(absolute));
      },
      listArguments: (name) => this.listArguments(name),
    });
  }

  private async listArguments(name: string): Promise<readonly ArgumentChoice[]> {
    const { cwd, conversationNames } = this.context;
    const keep = (search: () => Promise<readonly string[]>) =>
      this.choices.get(name, async () => (await search()).map((value) => ({ value })));
    if (name === 'chat') return keep(conversationNames);
    if (name === 'diff') return keep(() => listBranches(cwd));
    if (name !== 'buffer') return [];
    return this.used.buffers.map((buffer) => ({
      value: String(buffer.number),
      name: buffer.name === '' ? 'no name' : displayPath(buffer.name, cwd),
    }));
  }

  /** What the mention at a place refers to. */
  async hover({ text, column }: CompletionPlace): Promise<string | undefined> {
    const at = text.lastIndexOf('\n') + 1 + column;
    const mention = findMentions(text).find(({ start, end }) => start <= at && at < end);
    if (mention?.target.kind === 'named') return mention.target.name.description;
    return mention && this.preview(mention.target.path, mention.target.range);
  }

  /** The first lines of a file or of a range of it, or the first names in a folder; undefined if there is none. */
  async preview(file: string, range?: LineRange): Promise<string | undefined> {
    const absolute = absolutePath(file, this.context.cwd);
    try {
      const stat = await fs.stat(absolute);
      if (stat.isDirectory()) return await namesIn(absolute);
      return stat.isFile() ? await firstLines(absolute, range) : undefined;
    } catch {
      return undefined;
    }
  }

  private async searchFiles(query: string, limit: number): Promise<readonly FileMatch[]> {
    const { cwd, roots } = this.context;
    // Without a query the names are offered, which need not wait.
    if (query !== '') await Promise.all(roots.map((root) => this.waitForListing(root)));
    const found = roots.flatMap((root) => {
      const list = this.index.get(root) ?? { paths: [], lower: [], names: [] };
      const matches = searchFiles(list, query, this.hintsFor(root), limit);
      return root === cwd ? matches : matches.map((match) => ({ ...match, path: `${root}/${match.path}` }));
    });
    return roots.length === 1 ? found : found.sort((one, other) => other.score - one.score).slice(0, limit);
  }

  /** The first listing may take a moment; after it the list is in memory. */
  private async waitForListing(root: string): Promise<void> {
    if (!this.index.get(root)) await settledWithin(firstListingMs, this.index.settled(root));
  }

  private hintsFor(root: string): FileHints {
    const inRoot = (files: readonly string[]) =>
      files.filter((file) => file !== root && isInside(file, root)).map((file) => displayPath(file, root));
    const { open, recent, current } = this.used;
    return {
      open: inRoot(open),
      recent: inRoot(recent),
      current: current === undefined ? undefined : inRoot([current])[0],
    };
  }
}

async function firstLines(file: string, range?: LineRange): Promise<string | undefined> {
  const handle = await fs.open(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  try {
    const most = range ? preview.bytesToRange : preview.bytes;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(most), 0, most, 0);
    const bytes = buffer.subarray(0, bytesRead);
    if (bytesRead === 0 || bytes.includes(0)) return undefined;
    const all = bytes
      .toString()
      .replace(/\ufffd$/, '')
      .split(/\r?\n/);
    const first = (range?.first ?? 1) - 1;
    const lines = all.slice(first, Math.min(range?.last ?? all.length, first + preview.lines));
    if (lines.length === 0) return undefined;
    return lines.map((line) => line.replace(/[^\P{Cc}\t]/gu, ' ')).join('\n');
  } finally {
    await handle.close();
  }
}

async function namesIn(folder: string): Promise<string> {
  const entries = await fs.readdir(folder, { withFileTypes: true });
  const names = entries.map((entry) => entry.name + (entry.isDirectory() ? '/' : '')).sort();
  const shown = names.slice(0, preview.entries).map((name) => name.replace(/\p{Cc}/gu, ' '));
  return [...shown, ...(names.length > shown.length ? ['…'] : [])].join('\n');
}
