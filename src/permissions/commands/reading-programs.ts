import path from 'node:path';
import { changesFolder } from '../shell/line-folders.ts';
import type { ShellCommand, ShellWord } from '../shell/shell.ts';
import { startedCommands } from '../shell/started-commands.ts';
import { hasOption } from './destructive-commands.ts';
import { isOrdinaryGit } from './git-commands.ts';

interface ReadingProgram {
  readonly program: RegExp;
  /** Whether these arguments make it write files or run programs. */
  readonly acts: (args: readonly string[]) => boolean;
  /** It also writes files without them. */
  readonly writesAnyway?: true;
  /** For the help, as the user would type it. */
  readonly shown: string;
}

const escaped = String.raw`\\[^\ncdox]`;
/** A bracket with a slash in it ends in different places for different versions. */
const bracket = String.raw`\[\^?\]?[^\]/\n\\]*\]`;
const pattern = String.raw`(?:[^/\\\n[]|${escaped}|${bracket})*`;
const address = String.raw`(?:\d+|\$|/${pattern}/I?)`;
const range = String.raw`(?:${address}(?:,(?:${address}|[+~]\d+))? *(?:! *)?)?`;
const substitution = String.raw`s/${pattern}/(?:[^/\\\n]|${escaped})*/[gpiIM0-9]*`;
const sedCommand = new RegExp(
  String.raw` *${range}(?:[pdPDNnGHhgxl=]|[qQ]\d*|${substitution}) *(?:;|$)`,
  'y',
);
const sedFlags = /^(-[nErsuz]+|--(quiet|silent|regexp-extended|separate|unbuffered|null-data|posix|debug))$/;

/** Whether sed only prints: its `e` runs commands, its `w` and `-i` write files. */
function onlyPrints(args: readonly string[]): boolean {
  const scripts: string[] = [];
  const others: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at]!;
    const [, expression] = /^--expression=(.*)$/s.exec(arg) ?? [];
    if (expression !== undefined) scripts.push(expression);
    else if (/^(-[nErsuz]*e|--expression)$/.test(arg)) {
      at += 1;
      scripts.push(args[at] ?? '');
    } else if (!arg.startsWith('-') || arg === '-') others.push(arg);
    else if (!sedFlags.test(arg)) return false;
  }
  return (scripts.length > 0 ? scripts : others.slice(0, 1)).every(isPlainScript);
}

function isPlainScript(script: string): boolean {
  let at = 0;
  while (at < script.length) {
    sedCommand.lastIndex = at;
    if (!sedCommand.test(script)) return false;
    at = sedCommand.lastIndex;
  }
  return true;
}

/** Whether a program of awk may start another or open a file; comparisons with `>` count too. */
function awkMayAct(args: readonly string[]): boolean {
  return args.some((arg) =>
    /^-[fiElDopd]|^--(?!field-sep|assign|re-interval|posix)|system|getline|[|>@]/.test(arg),
  );
}

/**
 * Programs that are used to read, and that also write files or run programs if their arguments say so. A rule such as
 * `allow run sed -n *` is meant for the former. `doc/acp.txt` has the same list.
 */
export const readingPrograms: readonly ReadingProgram[] = [
  {
    program: /^g?sed$/,
    acts: (args) => !onlyPrints(args),
    shown: 'sed, unless it prints, deletes and replaces only (`1,9p`, `/a/d`, `s/a/b/`)',
  },
  { program: /^[gmn]?awk$/, acts: awkMayAct, shown: 'awk with system, getline, |, >, @ or -f' },
  {
    program: /^g?sort$/,
    acts: (args) => hasOption(args, 'o', '--output', '--compress-program'),
    shown: 'sort -o, sort --compress-program',
  },
  { program: /^rg$/, acts: (args) => hasOption(args, '', '--pre', '--hostname-bin'), shown: 'rg --pre' },
  {
    program: /^(fd|fdfind)$/,
    acts: (args) => hasOption(args, 'xX', '--exec', '--exec-batch'),
    shown: 'fd -x',
  },
  {
    program: /^(tar|gtar|bsdtar|split)$/,
    writesAnyway: true,
    // The first letters of tar need no hyphen.
    acts: ([first = '', ...args]) =>
      hasOption(
        [first.replace(/^(?=[A-Za-z]+$)/, '-'), ...args],
        'IFPC',
        ...['--absolute-names', '--directory', '--one-top-level', '--transform', '--xform'],
        ...['--to-command', '--checkpoint-action', '--use-compress-program', '--info-script'],
        ...['--new-volume-script', '--rsh-command', '--rmt-command', '--filter'],
      ),
    shown: 'tar -C, -P, -I, --transform, --to-command, --checkpoint-action; split --filter',
  },
];

/** Whether a program of the list does more than read. `isOpen`: it gets more arguments, which are not known. */
export function doesMoreThanRead([program = '', ...args]: readonly string[], isOpen: boolean): boolean {
  const name = path.basename(program).toLowerCase();
  return readingPrograms.some((each) => each.program.test(name) && (isOpen || each.acts(args)));
}

/** Programs that only look, whatever their arguments. */
export const lookingPrograms: ReadonlySet<string> = new Set(
  'basename cat cut df diff dirname du echo file grep head ls pwd realpath stat tail tr wc which'.split(' '),
);
const otherLookingPrograms = new Set(
  '[ cksum cmp comm date expr false hexdump id jq md5sum nl od printf readlink seq sha1sum sha256sum sleep test true uname'.split(
    ' ',
  ),
);

/** Whether it is known that a command does nothing but read and print. */
export function onlyReads(words: readonly ShellWord[]): boolean {
  const [program = '', ...args] = words.map(({ text }) => text);
  const name = program.replace(/^(\/usr)?\/bin\//, '');
  if (lookingPrograms.has(name) || otherLookingPrograms.has(name)) return true;
  if (name === 'find') return !args.some((arg) => /^-(delete|exec|execdir|ok|okdir|fls|fprint.*)$/.test(arg));
  const isOpen = words.some((word) => word.isOpen || word.isGlob);
  return readingPrograms.some(
    (each) => !each.writesAnyway && each.program.test(name) && !isOpen && !each.acts(args),
  );
}

/** Whether it is known that a command leaves the files alone that its words name. */
export function changesNoFile(words: readonly ShellWord[]): boolean {
  return onlyReads(words) || changesFolder(words) || isPlainGit(words);
}

function isPlainGit([program, ...args]: readonly ShellWord[]): boolean {
  return program?.text === 'git' && isOrdinaryGit(args.map(({ text }) => text));
}

const maxDepth = 8;

/** Whether a command, or one that it starts, does more than read files of which it is told the names: `xargs touch`. */
export function passesNamesOn(command: ShellCommand, depth = 0): boolean {
  const started = startedCommands(command);
  if (!started) return command.words.some(({ isOpen }) => isOpen) && !onlyReads(command.words);
  return depth > maxDepth || started.commands.some((each) => passesNamesOn(each, depth + 1));
}
