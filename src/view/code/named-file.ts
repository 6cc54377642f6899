import { type CodeBlock, isPatch } from './code-block.ts';

/** The file that a code block names, and its lines there if it names them too. */
export interface NamedFile {
  readonly path: string;
  readonly range?: { readonly first: number; readonly last: number };
  /** The name is the first line of the code, as a comment. */
  readonly isInCode?: true;
}

const pathPattern = '[^\\s`*"\'<>()\\[\\]{},;:=|]+';

/** Where a code block says that it belongs: on its fence, in a comment of its first line, or in the line above it. */
export function namedFile(block: CodeBlock): NamedFile | undefined {
  return fromDiff(block) ?? fromFence(block) ?? fromComment(block) ?? fromLineAbove(block);
}

function fromDiff(block: CodeBlock): NamedFile | undefined {
  if (!isPatch(block)) return undefined;
  const names = block.lines.flatMap((line) => /^(?:\+\+\+|---) (?:[ab]\/)?([^\t]+)/.exec(line)?.[1] ?? []);
  const path = names.findLast((name) => name !== '/dev/null');
  return path === undefined ? undefined : { path: path.trim() };
}

// ```ts src/a.ts   ```src/a.ts   ```ts title="src/a.ts"   ```ts:src/a.ts   ```10:20:src/a.ts
function fromFence({ language, info }: CodeBlock): NamedFile | undefined {
  const quoted = /(?:title|file|filename|path)\s*=\s*["']?([^"'\s}]+)/i.exec(info)?.[1];
  if (quoted !== undefined) return { path: quoted };
  const lines = /^(\d{1,7}):(\d{1,7}):(\S+)$/.exec(info);
  if (lines) return { path: lines[3]!, range: { first: Number(lines[1]), last: Number(lines[2]) } };
  const last = info.split(/[\s:]+/).at(-1) ?? '';
  return isPath(last) && (last !== language || last.includes('/')) ? { path: last } : undefined;
}

const comment = new RegExp(
  `^\\s*(?://|#|--|;|%|/\\*|<!--)\\s*(?:file(?:name)?:?\\s+)?(${pathPattern})\\s*(?:\\*/|-->)?\\s*$`,
  'i',
);

function fromComment({ lines }: CodeBlock): NamedFile | undefined {
  const path = comment.exec(lines[0] ?? '')?.[1];
  return path !== undefined && isPath(path) ? { path, isInCode: true } : undefined;
}

// **src/a.ts**   `src/a.ts`:   In src/a.ts:
function fromLineAbove({ above }: CodeBlock): NamedFile | undefined {
  const names = above.replace(/\S+:\/\/\S+/g, '').match(new RegExp(pathPattern, 'g')) ?? [];
  const path = names.map((name) => name.replace(/[.!?]+$/, '')).findLast(isPath);
  return path === undefined ? undefined : { path };
}

function isPath(name: string): boolean {
  return (
    /^[\w.~/@+-]/.test(name) && !/^\w\.\w$/.test(name) && /[^./]\.[a-z][\w-]{0,9}$|\w\/[\w.-]+$/i.test(name)
  );
}
