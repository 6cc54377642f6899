import type { Picker } from '../ports/dialogs.ts';
import { patchText } from './frame.ts';
import { makeLine } from './line.ts';
import { splitLongLines } from './questions/split-lines.ts';
import { sanitise, sanitiseLine } from './sanitise.ts';

interface ShownRule {
  readonly text: string;
  readonly source: string;
}

interface ShownProject {
  readonly file: string;
  readonly text: string;
  readonly isTrusted: boolean;
}

/** What is asked about without a rule. */
const noRules = [
  '# There are no rules. You are asked about commands, about files outside of the folders of the session and those that',
  '# other programs execute, and about all that the agent asks for itself. What it reads and writes through Neovim in the',
  '# folders of the session is not asked about: :AcpReview shows it.',
  '',
];

/** The rules by where they stand, in the order in which they count. */
export function rulesLines(all: {
  readonly rules: readonly ShownRule[];
  readonly problems: readonly string[];
  readonly project: ShownProject | undefined;
  readonly unreadable: readonly string[];
  readonly allowsAll: boolean;
}): readonly string[] {
  const { rules, problems, project, unreadable, allowsAll } = all;
  const sources = [...new Set(rules.map(({ source }) => source))];
  const lines = sources.flatMap((source) => [
    `# ${source}`,
    ...rules.filter((rule) => rule.source === source).map(({ text }) => text),
    '',
  ]);
  const open = allowsAll
    ? ['# This session allows everything else but destructive commands. :AcpPermissions ask ends it.', '']
    : [];
  const nothing = rules.length === 0 && unreadable.length === 0 && !allowsAll ? noRules : [];
  const lost =
    unreadable.length === 0
      ? []
      : ['# You are asked about everything, because', ...unreadable.map((each) => `# ${each}`), ''];
  const untrusted =
    project && !project.isTrusted ? [`# ${project.file} does not count: :AcpPermissions trust`, ''] : [];
  const wrong =
    problems.length === 0 ? [] : ['# These lines are not rules:', ...problems.map((each) => `# ${each}`), ''];
  return [
    '# The first rule that matches wins. :help acp-permissions',
    '',
    ...lost,
    ...nothing,
    ...lines,
    ...open,
    ...untrusted,
    ...wrong,
  ].map(sanitiseLine);
}

/** Says that lines of a file or an option do not count. */
export function rulesProblem(source: string, problems: readonly string[]): string {
  const [first = '', ...others] = problems;
  const more = others.length === 0 ? '' : `; and ${others.length} more: :AcpPermissions`;
  return sanitiseLine(`${first} (${source}${more})`);
}

interface ShownDecision {
  readonly verdict: string;
  readonly parts: readonly { readonly subject: string; readonly verdict: string; readonly reason: string }[];
}

export function decisionLines({ verdict, parts }: ShownDecision, command: string): readonly string[] {
  const each = parts.map(
    ({ subject, verdict: own, reason }) => `  ${own.padEnd(5)}  ${sanitiseLine(`${subject}: ${reason}`)}`,
  );
  return [sanitiseLine(command), '', `${verdict}, because`, ...each];
}

/** The last decision about a request of the agent. */
export function lastDecisionLines(decision: {
  readonly verdict: string;
  readonly reasons: readonly string[];
  readonly answer: string | undefined;
}): readonly string[] {
  const { verdict, reasons, answer } = decision;
  const answered = answer === undefined ? [] : [`you answered: ${answer}`];
  return [verdict, ...reasons, ...answered].map(sanitiseLine);
}

/** A line of a file with rules: what it stands for, or why it does not count. */
interface ShownRuleLine {
  readonly text: string;
  readonly notes: readonly string[];
}

/** Asks whether the rules of a project shall count, which must be read as a whole. */
export function trustPicker(
  chat: number,
  { file, lines: shown }: { readonly file: string; readonly lines: readonly ShownRuleLine[] },
  hash: string,
): Picker {
  const lines = shown.flatMap(({ text, notes }) => [
    makeLine([`  ${sanitise(text)}`, '']),
    ...notes.map((note) => makeLine([`      ${sanitiseLine(note)}`, 'AcpHint'])),
  ]);
  const prompt = `Let these rules of ${sanitiseLine(file)} decide?`;
  return {
    prompt,
    title: prompt,
    body: patchText(splitLongLines(lines)),
    kind: 'acp.permissions',
    isGuarded: true,
    mustRead: true,
    items: [
      { label: 'Trust this content', op: 'permissions.trust', payload: { chat, hash } },
      { label: 'Not now' },
    ],
  };
}

const meaning = [
  'The agent is allowed to do everything in this session without a question:',
  'change files, run commands, open addresses, call tools.',
  '',
  'You are still asked about',
  '- commands of the list in :help acp-destructive',
  '- files and folders outside of the folders of the session',
  '- files that other programs execute (:help acp-run-files)',
  '- commands that set variables or can not be understood before they run',
  '- changes of the mode',
  'and your rules count before that.',
  '',
  'A program that runs can do whatever it wants, whatever its name.',
  'It ends when the agent or the chat ends, or with :AcpPermissions ask.',
];

/** Asks whether a session shall allow everything but what is destructive, unclear or outside. */
export function allowAllPicker(chat: number): Picker {
  const prompt = 'Allow everything but destructive commands?';
  return {
    prompt,
    title: prompt,
    body: patchText(meaning.map((line) => makeLine([line === '' ? '' : `  ${line}`, '']))),
    kind: 'acp.permissions',
    isGuarded: true,
    mustRead: true,
    items: [
      { label: 'Allow it in this session', op: 'permissions.allow', payload: { chat, on: true } },
      { label: 'No' },
    ],
  };
}
