/** How long something took or has been taking: `0.3 s`, `12 s`, `3 m 20 s`. */
export function duration(ms: number): string {
  // A clock may be set back while something goes on.
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${(Math.floor(seconds * 10) / 10).toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}

/** The same in whole seconds, for what is still going on. */
export function elapsed(ms: number): string {
  return ms < 10_000 ? `${Math.floor(Math.max(0, ms) / 1000)} s` : duration(ms);
}

/** The time of day, as a clock on the wall shows it. */
export function timeOfDay(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** What stands for lines that are not shown. */
export function moreLines(count: number): string {
  return count === 1 ? '… 1 more line' : `… ${count} more lines`;
}

/** A path as a person would write it: relative to where they are, or from their home. */
export function shortPath(path: string, cwd: string, home: string): string {
  if (path === cwd) return '.';
  if (path.startsWith(`${cwd}/`)) return path.slice(cwd.length + 1);
  return home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
