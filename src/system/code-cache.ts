import { createHash } from 'node:crypto';
import fs from 'node:fs';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';
import { readRegularBytes } from './files/regular-file.ts';
import { replaceFile } from './files/replace-file.ts';

/** By the first time, what a start needs has been compiled; by the others, what the first prompts and longer work need. */
const saveAfterMs = [10_000, 120_000, 1_800_000];
/** Code is kept again if it has grown by this factor. V8 drops what was not used for some time. */
const leastGrowth = 1.02;
const digestBytes = 32;
const maxCodeBytes = 64 * 1024 * 1024;

/**
 * Loads a CommonJS file as `require` does, but with the code that V8 compiled for it at an earlier start, which halves
 * the time. The compiled code is kept in a private folder. The file cannot use `import()`.
 */
export function loadWithCodeCache(file: string, folder: string, saveTimes = saveAfterMs): unknown {
  const cache = new CodeCache(file, folder);
  const cachedData = cache.read();
  const source = Module.wrap(fs.readFileSync(file, 'utf8'));
  const script = new vm.Script(source, { filename: file, ...(cachedData && { cachedData }) });
  const load = createRequire(file);
  const module = Object.assign(new Module(file), { filename: file, loaded: true });
  // `require` has to return this module, not load the file again.
  load.cache[file] = module;
  script.runInThisContext()(module.exports, load, module, file, path.dirname(file));
  const isUsed = cachedData !== undefined && !script.cachedDataRejected;
  let kept = isUsed ? cachedData.length : 0;
  const save = () => {
    const code = script.createCachedData();
    if (code.length < leastGrowth * kept) return;
    kept = code.length;
    cache.write(code);
  };
  for (const ms of isUsed ? saveTimes.slice(1) : saveTimes) setTimeout(save, ms).unref();
  return module.exports;
}

/** V8 itself only compares the length of the source, and trusts the rest. */
class CodeCache {
  private readonly file: string;
  private readonly version: string;

  constructor(source: string, folder: string) {
    const { size, mtimeMs } = fs.statSync(source);
    const name = createHash('sha256').update(source).digest('hex').slice(0, 16);
    this.file = path.join(folder, `${name}.code`);
    this.version = [process.version, process.arch, source, size, mtimeMs].join(' ');
  }

  read(): Buffer | undefined {
    try {
      const content = readRegularBytes(this.file, maxCodeBytes);
      const code = content.subarray(digestBytes);
      return this.digest(code).equals(content.subarray(0, digestBytes)) ? code : undefined;
    } catch {
      return undefined;
    }
  }

  write(code: Buffer): void {
    replaceFile(this.file, Buffer.concat([this.digest(code), code])).catch(() => undefined);
  }

  private digest(code: Buffer): Buffer {
    return createHash('sha256').update(this.version).update(code).digest();
  }
}
