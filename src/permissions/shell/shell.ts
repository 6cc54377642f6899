import {
  type Command,
  forEachChild,
  type HereDoc,
  type ParsedScript,
  parse,
  type Redirect,
  type SyntaxNode,
  type Word,
} from 'unbash';
import { messageOf } from '../../base/errors.ts';
import { replaceInvisible } from '../../base/invisible-characters.ts';
import { commonValue } from './common-word.ts';

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
  /** Some of its commands may run more than once. */
  readonly hasLoop: boolean;
  /** Why it is not known what the line does. */
  readonly unclear: readonly string[];
}

interface Span {
  readonly pos: number;
  readonly end: number;
}

interface ReadingOptions {
  /** The line is the pattern of a rule, where wildcards may stand anywhere. */
  readonly isPattern?: boolean;
}

/** Syntax whose meaning is known for certain, in bash as in other shells. Everything else is unclear. */
const understood: ReadonlySet<string> = new Set<SyntaxNode['type']>([
  'Script',
  'Statement',
  'CompoundList',
  'AndOr',
  'Pipeline',
  'Time',
  'Negation',
  'Subshell',
  'BraceGroup',
  'Redirected',
  'If',
  'Elif',
  'While',
  'Command',
  'Assignment',
  'Word',
  'Literal',
  'SingleQuoted',
  'DoubleQuoted',
  'Glob',
  'Redirect',
  'FileDescriptor',
  'HereString',
  'HereDoc',
  'HereDocDelimiter',
  'HereDocBody',
]);
const leaves: ReadonlySet<string> = new Set<SyntaxNode['type']>([
  'Word',
  'Assignment',
  'Redirect',
  'HereString',
  'HereDoc',
  'HereDocBody',
]);
/** Why other syntax is unclear, for the user. */
const reasons: Readonly<Record<string, string>> = {
  For: 'it sets a variable in a loop',
  Select: 'it sets a variable in a loop',
  ArithmeticFor: 'it calculates, which may run commands',
  ArithmeticCommand: 'it calculates, which may run commands',
  TestCommand: 'it has [[ ]], which may run commands',
  Case: 'it has a case',
  Function: 'it defines a function',
  Coproc: 'it starts a coprocess',
  FileDescriptorVariable: 'it sets a variable of the shell',
};
const maxLength = 20_000;
const harmlessTargets = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty']);

/** The commands that a shell line runs. What can't be understood with certainty is listed as unclear. */
export function readShellLine(line: string, options: ReadingOptions = {}): ShellLine {
  const reading = new ShellReading(options);
  if (line.length > maxLength) reading.unclear.push('the command is very long');
  else if (line.includes('\r') || replaceInvisible(line, () => '') !== line)
    reading.unclear.push('the command has invisible characters');
  else {
    reading.readLine(line);
    if (reading.unclear.length === 0 && !isComplete(line, reading.spans))
      reading.unclear.push('the command has a part that is not understood');
  }
  return reading;
}

class ShellReading implements ShellLine {
  /** Where words, redirections and here-documents stand in the line. */
  readonly spans: Span[] = [];
  readonly commands: ShellCommand[] = [];
  readonly written: string[] = [];
  readonly read: string[] = [];
  hasLoop = false;
  readonly unclear: string[] = [];
  private readonly options: ReadingOptions;

  constructor(options: ReadingOptions) {
    this.options = options;
  }

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
      case 'While':
        this.hasLoop = true;
        break;
      case 'Command':
        this.readCommand(node);
        break;
      case 'Word':
        this.checkWord(node);
        break;
      case 'Redirect':
        this.readRedirection(node);
        break;
      case 'HereDoc':
        this.readHereDocument(node);
        break;
      case 'FileDescriptor':
        // dash: `12>file` has the argument 12.
        if (node.end - node.pos > 1) this.unclear.push(`${node.value} has another meaning in another shell`);
        break;
      default:
        this.checkSyntax(node);
    }
    // What is unclear may still contain a command that a rule denies.
    this.visitChildren(node);
  }

  private visitChildren(node: SyntaxNode): void {
    forEachChild(node, (child) => this.visit(child));
  }

  private checkSyntax({ type }: SyntaxNode): void {
    const reason = reasons[type];
    if (reason !== undefined) this.unclear.push(reason);
    // The reason that the word around it gives says more.
    else if (!understood.has(type) && this.unclear.length === 0)
      this.unclear.push(`it has syntax that is not understood: ${type}`);
  }

  private readCommand({ name, prefix, args }: Command): void {
    const assignments = prefix.flatMap((part) => (part.type === 'Assignment' ? [part.text] : []));
    if (!name) {
      if (assignments.length > 0) this.unclear.push('it sets a variable of the shell');
      return;
    }
    const words = [name, ...args.filter((part) => part.type === 'Word')].map((word) => shellWord(word));
    const isPlain =
      args.every(({ type }) => type === 'Word') && assignments.every((text) => /^\w+=/.test(text));
    if (!isPlain) this.unclear.push('it declares variables');
    if (!this.options.isPattern && (words[0]?.isGlob || /[{}]/.test(name.text)))
      this.unclear.push(`it is not known which program ${name.text} is`);
    this.commands.push({ words, assignments });
  }

  private checkWord(word: Word): void {
    const kinds = partKinds(word);
    if (kinds.has('dynamic')) this.unclear.push(`${word.text} is not known before it runs`);
    else if (commonValue(word.text) !== word.value)
      this.unclear.push(`${word.text} has another meaning in another shell`);
    // A file may be called `-rf`.
    else if (kinds.has('glob') && !this.options.isPattern && /^[*?[-]/.test(word.text))
      this.unclear.push(`${word.text} may become an option`);
  }

  private readRedirection({ operator, target }: Redirect): void {
    const isDescriptor = /^[<>]&$/.test(operator) && /^(\d+-?|-)$/.test(target?.text ?? '');
    if (isDescriptor) return;
    // zsh: `>!file` writes to `file`.
    if (!target || partKinds(target).size > 0 || target.text.startsWith('!')) {
      this.unclear.push('it is not known which file it reads or writes');
      return;
    }
    if (operator === '<') this.read.push(target.value);
    else if (!harmlessTargets.has(target.value)) this.written.push(target.value);
  }

  private readHereDocument({ delimiter, body, closing }: HereDoc): void {
    if (closing) this.spans.push(closing);
    // Shells and the parser disagree about the end after other delimiters, such as one with a tab or a line break.
    const isPlain = closing && /^(\w+|'\w+'|"\w+")$/.test(delimiter?.text ?? '');
    if (!isPlain) this.unclear.push('it is not known where its here-document ends');
    else if (!delimiter?.quoted && /[\\$`]/.test(body.text))
      this.unclear.push('it is not known what its here-document contains');
  }
}

function shellWord(word: Word): ShellWord {
  return { text: word.value, ...(partKinds(word).has('glob') && { isGlob: true }) };
}

/** What may stand between words and redirections, besides operators. */
const keywords = new Set('if then elif else fi while until do done time -p --'.split(' '));

/** Whether every part of the line was read: the parser does not report every error that it recovers from. */
function isComplete(line: string, spans: readonly Span[]): boolean {
  const rest = line.split('');
  for (const { pos, end } of spans) rest.fill(' ', pos, end);
  const text = rest.join('').replaceAll(/#[^\n]*/g, '');
  const tokens = text.replaceAll('\\\n', ' ').split(/[\s;&|(){}!]+/);
  const count = (bracket: string) => text.split(bracket).length;
  return tokens.every((token) => token === '' || keywords.has(token)) && count('(') === count(')');
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
        kinds.add('glob');
        break;
      default:
        kinds.add('dynamic');
    }
  }
  return kinds;
}
