import type { AgentIdentity } from '../../model/agent.ts';
import { fenced } from '../code-fence.ts';
import { sanitise, sanitiseLine } from '../sanitise.ts';

/** What a report about a problem consists of. Secrets are masked already. */
export interface ReportParts {
  /** Name and value. */
  readonly versions: readonly (readonly [name: string, value: string])[];
  readonly options: string;
  readonly health: readonly string[];
  readonly chats: readonly ReportedChat[];
  /** The end of the log. */
  readonly log: string;
}

export interface ReportedChat {
  readonly agent: AgentIdentity;
  readonly phase: string;
  /** The last messages, one JSON value each. */
  readonly messages: readonly string[];
  /** How many messages there were before them. */
  readonly omitted: number;
}

const advice = [
  '<!-- Read this before you share it: the messages have what you and the agent wrote, and parts of your files.',
  'What looks like a secret was replaced by <secret>. Delete what nobody else shall see. :w report.md saves it. -->',
];

/** A report about a problem as Markdown. */
export function reportMarkdown({ versions, options, health, chats, log }: ReportParts): string {
  return [
    '# Report about acp.nvim',
    advice.join('\n'),
    '## What happened\n\n(What you did, what you saw, and what you expected.)',
    `## Versions\n\n${versions.map(([name, value]) => `- ${name}: ${sanitise(value)}`).join('\n')}`,
    section('Options that are not the default', 'lua', options),
    section('Health', 'text', health.join('\n')),
    ...chats.flatMap(chatSections),
    section('The end of the log', 'text', log),
  ].join('\n\n');
}

function chatSections({ agent, phase, messages, omitted }: ReportedChat): readonly string[] {
  const { name, program, version, capabilities } = agent;
  const facts = { name, program, version, phase, capabilities };
  const before = omitted === 0 ? '' : ` (${omitted} earlier ones are left out)`;
  return [
    section(`Agent ${name}`, 'json', JSON.stringify(facts, undefined, 2)),
    section(`Messages of ${name}${before}`, 'json', messages.join('\n')),
  ];
}

function section(title: string, language: string, text: string): string {
  return `## ${sanitiseLine(title)}\n\n${fenced(sanitise(text).trimEnd(), language)}`;
}
