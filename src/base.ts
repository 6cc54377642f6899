/** Something that holds a resource and gives it back once, however often it is asked. */
export interface Disposable {
  dispose(): void;
}

/** Owns disposables and ends them in reverse order. */
export class DisposableStore implements Disposable {
  private readonly owned: Disposable[] = [];
  private isDisposed = false;

  add<T extends Disposable>(disposable: T): T {
    if (this.isDisposed) disposable.dispose();
    else this.owned.push(disposable);
    return disposable;
  }

  dispose(): void {
    this.isDisposed = true;
    while (this.owned.length > 0) this.owned.pop()?.dispose();
  }
}

export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Nothing that is to be read has more levels, and what has many more ends every function that calls itself for each. */
const maxDepth = 64;

/** Reads JSON of somebody else. What is nested too deep is cut off there, with a mark. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // A level takes two characters.
  if (text.length > 2 * maxDepth) cutDepth(value);
  return value;
}

/** Cuts off what is nested too deep. */
export function cutDepth(value: unknown, depth = maxDepth): void {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    const fields = value as Record<string, unknown>;
    const isDeep = typeof fields[key] === 'object' && fields[key] !== null;
    if (isDeep && depth === 0) fields[key] = '…';
    else if (isDeep) cutDepth(fields[key], depth - 1);
  }
}

/** The entry of a table, and nothing for a name that only every object has, such as `constructor`. */
export function lookUp<T>(table: Readonly<Record<string, T>>, key: unknown): T | undefined {
  return typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined;
}

/** The first `count` characters of a text, with a mark where something was left out. */
export function shorten(text: string, count: number): string {
  return text.length <= count ? text : `${text.slice(0, wholeCharacters(text, count - 1))}…`;
}

/** The last place up to `end` that is not between the two halves of a character. */
export function wholeCharacters(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

/** Makes a function that calls `start` the first time and gives the same result ever after. */
export function once<T>(start: () => T): () => T {
  let result: { value: T } | undefined;
  return () => {
    result ??= { value: start() };
    return result.value;
  };
}
