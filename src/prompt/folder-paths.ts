const written = /^(?:~|\.{1,2}|)\//;

/** Whether a mention names a path from the home folder, the current one, its parent or the root. */
export function isFolderPath(query: string): boolean {
  return written.test(query);
}

/** `../src/co` is looked for in `../src/` by `co`. */
export function splitFolderPath(query: string): { readonly folder: string; readonly part: string } {
  const slash = query.lastIndexOf('/') + 1;
  return { folder: query.slice(0, slash), part: query.slice(slash) };
}

/** The names that begin with the typed part, then those that contain it. A dot asks for the hidden ones. */
export function matchNames(names: readonly string[], part: string): readonly string[] {
  const wanted = part.toLowerCase();
  const shown = part.startsWith('.') ? names : names.filter((name) => !name.startsWith('.'));
  const beginning = shown.filter((name) => name.toLowerCase().startsWith(wanted));
  const others = shown.filter((name) => name.toLowerCase().indexOf(wanted) > 0);
  return [...beginning, ...others];
}
