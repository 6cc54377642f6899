/** Whether a command is a shell in a usual place, not another program with the name of a shell. */
export function isPlainShell(command: string): boolean {
  return /^(\/bin\/|\/usr\/bin\/|\/usr\/local\/bin\/)?(sh|bash|zsh|dash|ksh|fish)$/.test(command);
}

/** Whether the lines of a shell, given with its options, can be read for the rules. */
export function isReadableShell(shell: string): boolean {
  const [program = '', ...options] = shell.trim().split(/\s+/);
  const isKnown = /^(.*\/)?(sh|bash|zsh|dash|ksh|fish)$/.test(program);
  return (
    isKnown && options.every((option) => /^(-[efl]|--login|--norc|--noprofile|--no-config)$/.test(option))
  );
}

/**
 * Whether a command without arguments is the name of a program. Any other text is a shell line: the same question is
 * answered once for the rules, for what the user sees and for the start, or they would be about different commands.
 */
export function isProgramName(command: string): boolean {
  return process.platform === 'win32'
    ? /^[\p{L}\p{N}@%+:,./\\_-]+$/u.test(command)
    : /^[\p{L}\p{N}@%+:,./_-]+$/u.test(command);
}

/** Quotes a word for a POSIX shell, if needed. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

interface Command {
  readonly command: string;
  readonly args: readonly string[];
}

/** A command as a person would type it: only the script of `sh -c script`. */
export function commandLine({ command, args }: Command): string {
  const [option, line] = args;
  if (isPlainShell(command) && args.length === 2 && /^-l?c$/.test(option!)) return line!;
  return fullCommandLine({ command, args });
}

/** A command with all of its words, also of `sh -c script`. */
export function fullCommandLine({ command, args }: Command): string {
  return args.length === 0 ? command : [command, ...args].map(shellQuote).join(' ');
}

/** The variables that a command adds to our environment or changes, as NAME=value; `isLeftOut`: those that do not count. */
export function addedVariables(
  own: NodeJS.ProcessEnv,
  { env }: { readonly env: Readonly<Record<string, string>> },
  isLeftOut: (name: string, value: string) => boolean = () => false,
): readonly string[] {
  return Object.entries(env)
    .filter(([name, value]) => own[name] !== value && !isLeftOut(name, value))
    .map(([name, value]) => `${name}=${shellQuote(value)}`);
}

/** What a line runs behind `cd <folder> &&`, if it begins with that and the folder is written as it is. */
export function withoutFolderChange(line: string, folder: string): string | undefined {
  // In fish a backslash has a meaning between quotes.
  if (folder.includes('\\')) return undefined;
  const quoted = [
    shellQuote(folder),
    ...(folder.includes("'") ? [] : [`'${folder}'`]),
    ...(/["$`!]/.test(folder) ? [] : [`"${folder}"`]),
  ];
  const prefix = quoted.map((text) => `cd ${text} && `).find((text) => line.startsWith(text));
  return prefix === undefined ? undefined : line.slice(prefix.length);
}
