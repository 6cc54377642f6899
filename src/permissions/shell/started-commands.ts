import path from 'node:path';
import { isPlainShell } from '../../base/shell.ts';
import { readShellLine, type ShellCommand, type ShellLine, type ShellWord } from './shell.ts';

/** What a command starts in turn. */
export interface StartedCommands
  extends Pick<ShellLine, 'commands' | 'written' | 'read' | 'hasLoop' | 'unclear'> {
  /** The starter itself does nothing else, so only what it starts needs a rule. */
  readonly isTransparent?: boolean;
  /** It runs what it reads, which nobody has seen, so that no rule about its words can cover it. */
  readonly runsInput?: true;
  /** It starts them in folders that it finds. */
  readonly startsElsewhere?: boolean;
}

const nothing = { commands: [], written: [], read: [], hasLoop: false, unclear: [] };

/** Options of starters that take no value. An option that is not listed makes the command unclear. */
const starterOptions: Readonly<Record<string, RegExp>> = {
  builtin: /^$/,
  busybox: /^$/,
  command: /^-p$/,
  exec: /^-[acl]$/,
  nice: /^(-n|-\d+|--adjustment=-?\d+)$/,
  nocorrect: /^$/,
  noglob: /^$/,
  nohup: /^$/,
  setsid: /^-[cfw]$/,
  stdbuf: /^-[ioe][0-9L]\w*$/,
  time: /^-p$/,
  timeout: /^(--foreground|--preserve-status|-k|-s|--kill-after=\w+|--signal=\w+)$/,
  xargs: /^(-0|-r|-t|-n|-P|-L|-I|-d|--null|--no-run-if-empty|--max-args=\d+|--max-procs=\d+)$/,
};
/** Options whose value is the next word. */
const optionsWithValue: Readonly<Record<string, RegExp>> = {
  exec: /^-a$/,
  nice: /^-n$/,
  timeout: /^-[ks]$/,
  xargs: /^-[nPLId]$/,
};
/** How many words stand before the program that is started. */
const valuesBefore: Readonly<Record<string, number>> = { timeout: 1 };

/** Starters that do more than start a program, so that they need a rule themselves. */
const effective = new Set(['builtin', 'busybox', 'exec', 'nocorrect', 'noglob', 'trap']);
const shells = /^(sh|bash|rbash|dash|ash|ksh|ksh93|mksh|zsh|fish|yash|csh|tcsh|pwsh|nu|elvish|xonsh)$/;

const open: ShellWord = { text: '', isOpen: true };

/** The commands that a command starts: those of `bash -c`, `env`, `xargs`, `find -exec` and the like. */
export function startedCommands(command: ShellCommand): StartedCommands | undefined {
  const [program = { text: '' }, ...rest] = command.words;
  const name = path.basename(program.text);
  const started = startedBy(name, rest, command);
  // A program of another folder may only have the name of a starter.
  const isKnown = (program.text === name || isPlainShell(program.text)) && !effective.has(name);
  return started && !isKnown ? { ...started, isTransparent: false } : started;
}

function startedBy(
  name: string,
  rest: readonly ShellWord[],
  command: ShellCommand,
): StartedCommands | undefined {
  if (name === 'eval') return withVariables(startedByLine(...rest), command);
  if (name === 'trap') return startedByTrap(rest);
  if (shells.test(name)) return withVariables(startedByShell(name, rest), command);
  if (name === 'env') return startedByEnv(rest, command);
  if (name === 'find') return startedByFind(rest);
  if (Object.hasOwn(starterOptions, name)) return startedByStarter(name, rest, command);
  return undefined;
}

/** Each of them gets the variables too, and `BASH_ENV` even runs a file before them. */
function withVariables<Started extends StartedCommands | undefined>(
  started: Started,
  { assignments }: ShellCommand,
): Started {
  if (!started || assignments.length === 0) return started;
  const commands = started.commands.map((each) => ({
    ...each,
    assignments: [...assignments, ...each.assignments],
  }));
  return { ...started, commands };
}

/** The commands of a line that is itself made of words. */
function startedByLine(...words: readonly ShellWord[]): StartedCommands {
  if (words.some(({ isOpen, isGlob }) => isOpen || isGlob))
    return unclearStart('its line is not known before it runs');
  const line = readShellLine(words.map(({ text }) => text).join(' '));
  if (line.commands.length === 0 && line.unclear.length === 0) return unclearStart('its line has no command');
  return { ...line, isTransparent: true };
}

/** `trap line EXIT`; not `trap - EXIT` and `trap -p`. */
function startedByTrap([line]: readonly ShellWord[]): StartedCommands | undefined {
  return !line || line.text === '' || line.text.startsWith('-') ? undefined : startedByLine(line);
}

/** `bash -c line`, optionally as a login shell. Of a script, the rule has to name the file. */
function startedByShell(name: string, words: readonly ShellWord[]): StartedCommands | undefined {
  const [option, ...rest] = words;
  if (words.length === 1 && /^--(version|help)$/.test(option!.text)) return undefined;
  const script = words.find(({ text }) => !/^[-+]/.test(text));
  if (!option || !script || /^\/(dev|proc)\//.test(script.text)) {
    return { ...unclearStart('the shell runs what it reads'), runsInput: true };
  }
  if (option === script) return undefined;
  const line = startedByLine(script);
  if (!/^-(l?c|cl)$/.test(option.text)) return withDoubt(line, 'the shell has unusual options');
  if (rest.length > 1) return withDoubt(line, 'the script of the shell has arguments');
  return isPlainShell(name) ? line : withDoubt(line, `the lines of ${name} can not be read`);
}

/** The commands of a line that is unclear: a rule that denies one of them counts. */
function withDoubt(line: StartedCommands, reason: string): StartedCommands {
  return { ...line, unclear: [reason, ...line.unclear] };
}

function startedByEnv(
  words: readonly ShellWord[],
  { assignments }: ShellCommand,
): StartedCommands | undefined {
  const at = words.findIndex(({ text }) => !/^\w+=/.test(text));
  if (at === -1) return undefined;
  const added = words.slice(0, at).map(({ text }) => text);
  return withCommand({ words: words.slice(at), assignments: [...assignments, ...added] });
}

function startedByStarter(
  name: string,
  words: readonly ShellWord[],
  { assignments }: ShellCommand,
): StartedCommands | undefined {
  let at = 0;
  for (; words[at]?.text.startsWith('-'); at += 1) {
    const option = words[at]!.text;
    if (!starterOptions[name]!.test(option)) return unclearStart(`${name} ${option} is not known here`);
    if (optionsWithValue[name]?.test(option)) at += 1;
  }
  const started = words.slice(at + (valuesBefore[name] ?? 0));
  if (started.length === 0) return undefined;
  // `xargs` adds arguments that nobody has seen.
  return withCommand({ words: name === 'xargs' ? [...started, open] : started, assignments });
}

function withCommand(command: ShellCommand): StartedCommands {
  const [program] = command.words;
  if (program?.text.startsWith('-')) return unclearStart('an option stands where a program is expected');
  return { ...nothing, commands: [command], isTransparent: true };
}

function unclearStart(reason: string): StartedCommands {
  return { ...nothing, unclear: [reason], isTransparent: true };
}

/** The commands of `-exec` and `-execdir`. `find` itself needs a rule too. */
function startedByFind(words: readonly ShellWord[]): StartedCommands {
  const commands: ShellCommand[] = [];
  const unclear: string[] = [];
  const written: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const { text } = words[at]!;
    if (/^-(ok|okdir)$/.test(text)) unclear.push(`find ${text} asks`);
    if (/^-f(print0?|printf|ls)$/.test(text)) written.push(words[at + 1]?.text ?? '');
    if (!/^-(exec|execdir)$/.test(text)) continue;
    const end = words.findIndex((word, index) => index > at && /^[;+]$/.test(word.text));
    if (end === -1) {
      unclear.push(`find ${text} has no end`);
      break;
    }
    const started = words.slice(at + 1, end).map((word) => (word.text.includes('{}') ? open : word));
    commands.push({ words: started, assignments: [] });
    at = end;
  }
  const startsElsewhere = words.some(({ text }) => /^-(execdir|okdir)$/.test(text));
  return { ...nothing, commands, written, unclear, isTransparent: false, startsElsewhere };
}
