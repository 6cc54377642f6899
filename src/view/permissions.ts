import type { Picker } from '../ports/dialogs.ts';
import { sanitiseLine } from './sanitise.ts';

interface ShownRule {
  readonly text: string;
  readonly source: string;
}

interface ShownProject {
  readonly file: string;
  readonly text: string;
  readonly isTrusted: boolean;
}

/** The rules by where they stand, in the order in which they count. */
export function rulesLines(all: {
  readonly rules: readonly ShownRule[];
  readonly problems: readonly string[];
  readonly project: ShownProject | undefined;
  readonly projectFileName: string;
}): readonly string[] {
  const { rules, problems, project } = all;
  const sources = [...new Set(rules.map(({ source }) => source))];
  const lines = sources.flatMap((source) => [
    `# ${source}`,
    ...rules.filter((rule) => rule.source === source).map(({ text }) => text),
    '',
  ]);
  const nothing = rules.length === 0 ? ['# There are no rules: you are asked about everything.', ''] : [];
  const untrusted =
    project && !project.isTrusted ? [`# ${project.file} does not count: :AcpPermissions trust`, ''] : [];
  const wrong =
    problems.length === 0 ? [] : ['# These lines are not rules:', ...problems.map((each) => `# ${each}`), ''];
  return [
    '# The first rule that matches wins. :help acp-permissions',
    '',
    ...nothing,
    ...lines,
    ...untrusted,
    ...wrong,
  ].map(sanitiseLine);
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

/** Asks whether the rules of a project shall count. */
export function trustPicker(chat: number, { file, text }: ShownProject, hash: string): Picker {
  const rules = text.split('\n').filter((line) => line.trim() !== '');
  return {
    prompt: `Let these rules of ${sanitiseLine(file)} decide?\n${rules.map((rule) => `  ${sanitiseLine(rule)}`).join('\n')}`,
    kind: 'acp.permissions',
    isGuarded: true,
    items: [
      { label: 'Trust this content', op: 'permissions.trust', payload: { chat, hash } },
      { label: 'Not now' },
    ],
  };
}
