import type { Rule } from './rule.ts';
import type { ShellCommand } from './shell/shell.ts';

/** The last rule of a session that is set to allow everything but what is destructive, unclear or outside. */
export const allowAllRule: Rule = {
  text: 'allow everything but destructive commands',
  verdict: 'allow',
  agent: undefined,
  kind: 'any',
  pattern: '*',
  command: undefined,
  source: 'this session',
  isLimited: true,
};

/**
 * The paths that the words of a command name, also after `=`, `:`, a quote or an option, such as `/etc` in `--root=/etc`.
 * A program may of course open files that its words do not name.
 */
export function pathsInWords({ words }: ShellCommand): readonly string[] {
  return words.flatMap(({ text }) => {
    const local = withoutWebAddresses(text);
    return [...absolutePaths(local), ...relativePaths(local)];
  });
}

/** Whether it changes to a folder that its words do not name. */
export function leavesFolder({ words }: ShellCommand): boolean {
  const [program, target] = words.map(({ text }) => text);
  if (program === 'popd') return true;
  return (program === 'cd' || program === 'pushd') && (target === undefined || /^[-+]/.test(target));
}

// The path of a web address is none of this machine; `file:///etc` is.
function withoutWebAddresses(text: string): string {
  return text.replaceAll(/\b(?!file:)[a-z][a-z0-9+.-]*:\/\/\S*/gi, ' ').replaceAll(/\bfile:\/\//gi, ' ');
}

function absolutePaths(text: string): readonly string[] {
  const found = text.matchAll(/(?:^|[=:,;@'"`(\s]|^-{1,2}\w+)([~/][^'"`\s,;()]*)/g);
  return [...found].map(([, file = '']) => file);
}

// Any name may be a link that leads elsewhere.
function relativePaths(text: string): readonly string[] {
  return text.split(/[=:,;'"`()\s]/).filter((piece) => /^[^~/-]/.test(piece));
}
