import { shellQuote } from '../../base/shell.ts';
import type { RuleLevel } from '../candidates.ts';
import type { ShellCommand, ShellWord } from '../shell/shell.ts';
import { changesShell } from '../shell/shell-builtins.ts';
import { isDestructive, mayBeDestructive } from './destructive-commands.ts';
import { doesMoreThanRead, lookingPrograms } from './reading-programs.ts';

/** Words after which another word says what the program does: `npm run build`, `docker compose up`. */
const nesting = new Set(['run', 'exec', 'x', 'dlx', 'compose', 'tool', 'workspace', 'stash', 'remote', '-m']);
/** Rules for a command, from narrow to wide. A destructive one is only named exactly. */
export function commandLevels(command: ShellCommand): readonly RuleLevel[] {
  const { words, assignments } = command;
  const isKnown = words.every(({ isGlob, isOpen }) => !isGlob && !isOpen);
  const plain = words.map(({ text }) => text);
  const exact = isKnown ? [{ text: ruleText(assignments, plain), note: 'exactly this command' }] : [];
  const purpose = purposeOf(words);
  const isRisky =
    isDestructive(plain, purpose) || changesShell(plain) || (!isKnown && mayBeDestructive(plain));
  if (isRisky || doesMoreThanRead(plain, false)) return exact;
  const [program = ''] = plain;
  return [
    ...exact,
    ...(purpose.length > 1 ? [withArguments(assignments, purpose)] : []),
    ...(lookingPrograms.has(program) ? [withArguments(assignments, [program])] : []),
  ];
}

/** The rule that denies a command and those like it. */
export function deniedCommand({ words }: ShellCommand): RuleLevel {
  return withArguments([], purposeOf(words));
}

function withArguments(assignments: readonly string[], words: readonly string[]): RuleLevel {
  return { text: `${ruleText(assignments, words)} *`, note: 'with any further arguments' };
}

function ruleText(assignments: readonly string[], words: readonly string[]): string {
  return `run ${[...assignments, ...words.map(shellQuote)].join(' ')}`;
}

/** The program and the words that say what it does, such as `npm run build`. */
function purposeOf(words: readonly ShellWord[]): readonly string[] {
  const [program, ...rest] = words;
  const name = program?.text ?? '';
  const [action, object] = rest.map((word) => (isActionWord(word) ? word.text : undefined));
  if (action === undefined) return [name];
  if (!nesting.has(action)) return [name, action];
  return object === undefined || object === '-m' ? [name] : [name, action, object];
}

function isActionWord({ text, isGlob, isOpen }: ShellWord): boolean {
  return !isGlob && !isOpen && (text === '-m' || /^[A-Za-z][\w:.-]*$/.test(text));
}
