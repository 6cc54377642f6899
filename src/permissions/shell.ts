import { type Command, forEachChild, type ParsedScript, parse, type SyntaxNode, type Word } from 'unbash';
import { messageOf } from '../base/errors.ts';
import { replaceInvisible } from '../base/invisible-characters.ts';

/** One command of a shell line: a program with its words, as the program gets them. */
export interface ShellCommand {
  readonly words: readonly ShellWord[];
  /** Variables that are set for this command, such as `NODE_ENV=test`. */
  readonly assignments: readonly string[];
}

export interface ShellWord {
  readonly text: string;
  /** The shell replaces it by names of files that begin with `text` up to its first wildcard. */
  readonly isGlob?: boolean;
  /** Not known before the command runs: more arguments of `xargs`, or a file that `find` has found. */
  readonly isOpen?: boolean;
}

export interface ShellLine {
  readonly commands: readonly ShellCommand[];
  /** Files that redirections write to and read from. */
  readonly written: readonly string[];
  readonly read: readonly string[];
  /** Why it can't be told what the line does. */
  readonly unclear: readonly string[];
}

interface Span {
  readonly pos: number;
  readonly end: number;
}

const leaves: ReadonlySet<string> = new Set([
  'Word',
  'Assignment',
  'Redirect',
  'HereString',
  'HereDocBody',
  'HereDocDelimiter',
]);
const maxLength = 20_000;
const harmlessTargets = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty']);

/** The commands that a line of bash runs. What can't be understood is listed as unclear. */
export function readShellLine(line: string): ShellLine {
  const reading = new ShellReading();
  if (line.length > maxLength) reading.unclear.push('the command is very long');
  else if (line.includes('\r') || replaceInvisible(line, () => '') !== line)
    reading.unclear.push('the command has invisible characters');
  else {
    reading.readLine(line);
    if (!isBalanced(line, reading.spans))
      reading.unclear.push('the command has a bracket without its counterpart');
  }
  return reading;
}

class ShellReading implements ShellLine {
  /** Where words and redirections stand in the line. */
  readonly spans: Span[] = [];
  readonly commands: ShellCommand[] = [];
  readonly written: string[] = [];
  readonly read: string[] = [];
  readonly unclear: string[] = [];

  readScript(script: ParsedScript): void {
    for (const { message } of script.errors ?? []) this.unclear.push(`the command has an error: ${message}`);
    this.visitChildren(script);
  }

  readLine(line: string): void {
    try {
      this.readScript(parse(line));
    } catch (error) {
      this.unclear.push(`the command can not be read: ${messageOf(error)}`);
    }
  }

  private visit(node: SyntaxNode): void {
    if (leaves.has(node.type)) this.spans.push(node);
    switch (node.type) {
      case 'Script':
        return this.readScript(node);
      case 'Command':
        this.readCommand(node);
        break;
      case 'Redirect':
        this.readRedirection(node);
        break;
      case 'Function':
        this.unclear.push('it defines a function');
        break;
      case 'Coproc':
        this.unclear.push('it starts a coprocess');
        break;
      default:
        break;
    }
    this.visitChildren(node);
  }

  private visitChildren(node: SyntaxNode): void {
    forEachChild(node, (child) => this.visit(child));
  }

  private readCommand({ name, prefix, args }: Command): void {
    const assignments = prefix.flatMap((part) => (part.type === 'Assignment' ? [part.text] : []));
    if (!name) {
      if (assignments.length > 0) this.unclear.push('it sets a variable of the shell');
      return;
    }
    const words = [name, ...args.filter((part) => part.type === 'Word')].map((word) => this.readWord(word));
    if (args.some(({ type }) => type === 'Assignment')) this.unclear.push('it declares variables');
    this.commands.push({ words, assignments });
  }

  private readWord(word: Word): ShellWord {
    const kinds = partKinds(word);
    if (kinds.has('dynamic')) this.unclear.push(`${word.text} is not known before it runs`);
    if (!kinds.has('glob')) return { text: word.value };
    // A file may be called `-rf`.
    if (/^[*?[-]/.test(word.text)) this.unclear.push(`${word.text} may become an option`);
    return { text: word.value, isGlob: true };
  }

  private readRedirection({
    operator,
    target,
  }: {
    readonly operator: string;
    readonly target: Word | undefined;
  }): void {
    const isDescriptor = /^[<>]&$/.test(operator) && /^(\d+-?|-)$/.test(target?.text ?? '');
    if (isDescriptor) return;
    if (!target || partKinds(target).size > 0) {
      this.unclear.push('it is not known which file it reads or writes');
      return;
    }
    if (operator === '<') this.read.push(target.value);
    else if (!harmlessTargets.has(target.value)) this.written.push(target.value);
  }
}

// The parser recovers from a bracket that is never closed without an error.
function isBalanced(line: string, spans: readonly Span[]): boolean {
  const rest = [...line];
  for (const { pos, end } of spans) rest.fill(' ', pos, end);
  const brackets = rest.join('').replace(/[^()]/g, '');
  return brackets.split('(').length === brackets.split(')').length;
}

/** Whether a word is more than its text. */
function partKinds({ parts = [], text }: Pick<Word, 'parts' | 'text'>): ReadonlySet<'dynamic' | 'glob'> {
  const kinds = new Set<'dynamic' | 'glob'>();
  if (text.startsWith('~') && !text.startsWith('~/') && text !== '~') kinds.add('dynamic');
  for (const part of parts) {
    switch (part.type) {
      case 'Literal':
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        break;
      case 'DoubleQuoted':
        if (part.parts.some(({ type }) => type !== 'Literal')) kinds.add('dynamic');
        break;
      case 'Glob':
      case 'ExtendedGlob':
        kinds.add('glob');
        break;
      default:
        kinds.add('dynamic');
    }
  }
  return kinds;
}
