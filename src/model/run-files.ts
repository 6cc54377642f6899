import known from './run-files.json' with { type: 'json' };

/** A path as a file system may compare it: it may ignore case and characters without width. */
export function comparablePath(file: string): string {
  return file.normalize('NFKC').replace(invisible, '').replaceAll('\\', '/').toLowerCase();
}

const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * Files that other programs execute or read their settings from, at any time or at the next command of the user. A
 * review of such a change may come too late, so it needs consent also inside of the folders.
 */
const patterns = known.groups.flatMap(({ files }) => files).map((name) => comparablePath(name));
const folders = patterns.filter((pattern) => pattern.endsWith('/')).map((pattern) => `/${pattern}`);
const files = new Set(patterns.filter((pattern) => !/[*]|\/$/.test(pattern)));
const endings = patterns.filter((pattern) => pattern.startsWith('*')).map((pattern) => pattern.slice(1));

/** Whether other programs execute the file at this real path, or read their settings from it. */
export function isRunFile(real: string): boolean {
  const name = comparablePath(real);
  const parts = name.split('/');
  const ends = [1, 2, 3].map((count) => parts.slice(-count).join('/'));
  return (
    ends.some((end) => files.has(end)) ||
    endings.some((ending) => name.endsWith(ending)) ||
    folders.some((folder) => `${name}/`.includes(folder))
  );
}
