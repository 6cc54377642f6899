import type { SharedPromptSources } from '../../../src/app/prompt/chat-sources.ts';
import { EditorContext } from '../../../src/app/prompt/editor-context.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Editor } from '../../../src/ports/editor.ts';
import type {
  ContextAnswer,
  ContextRequest,
  PromptSources,
  SourceFile,
} from '../../../src/ports/prompt-sources.ts';
import { FileIndex } from '../../../src/prompt/file-index.ts';
import { LogDouble } from './log.ts';

/** Files and answers of Neovim from memory. */
export class PromptSourcesDouble implements PromptSources {
  readonly cwd = '/work';
  readonly roots: readonly string[] = ['/work'];
  readonly files: Record<string, SourceFile & { readonly leadsTo?: string }> = {};
  readonly editor: Record<string, ContextAnswer> = {};
  readonly host: Record<string, ContextAnswer> = {};
  /** The requests to Neovim, one list per round trip. */
  readonly asked: (readonly ContextRequest[])[] = [];
  readonly copies: (readonly [string, string])[] = [];
  /** Of a file that is read by lines: the lines. */
  readonly ranges: unknown[] = [];

  addText(path: string, text: string): void {
    this.files[path] = { kind: 'text', text, size: Buffer.byteLength(text) };
  }

  readFile(path: string, range?: { readonly first: number; readonly last: number }): Promise<SourceFile> {
    const file = this.files[path] ?? { kind: 'missing' };
    this.ranges.push(range);
    if (!range || file.kind !== 'text') return Promise.resolve(file);
    const text = file.text
      .split(/(?<=\n)/)
      .slice(range.first - 1, range.last)
      .join('');
    return Promise.resolve({ kind: 'text', text, size: Buffer.byteLength(text) });
  }

  findExisting(paths: readonly string[]): Promise<ReadonlySet<string>> {
    return Promise.resolve(new Set(paths.filter((path) => path in this.files)));
  }

  readEditor(requests: readonly ContextRequest[]): Promise<readonly ContextAnswer[]> {
    this.asked.push(requests);
    return Promise.resolve(
      requests.map((request) => this.editor[keyOf(request)] ?? { items: [], problem: 'nothing' }),
    );
  }

  readHost(request: ContextRequest): Promise<ContextAnswer> {
    return Promise.resolve(this.host[keyOf(request)] ?? { items: [], problem: 'nothing' });
  }

  keepCopy(name: string, content: string | Uint8Array): string {
    this.copies.push([name, String(content)]);
    return `/copies/${name}`;
  }
}

function keyOf({ name, argument }: ContextRequest): string {
  return argument === undefined ? name : `${name}:${argument}`;
}

/** The sources of a chat whose prompts mention no file, only addresses. */
export function withoutFiles(editor: Editor, clock: Clock): SharedPromptSources {
  return {
    files: {
      read: () => Promise.resolve({ kind: 'missing' }),
      findExisting: () => Promise.resolve(new Set<string>()),
    },
    context: new EditorContext(editor, clock),
    hostContext: {
      read: ({ name, argument }) =>
        Promise.resolve(name === 'url' ? { items: [{ url: argument }] } : { items: [], problem: 'nothing' }),
      conversationNames: () => Promise.resolve([]),
    },
    index: new FileIndex(() => Promise.resolve([]), clock, new LogDouble()),
  };
}
