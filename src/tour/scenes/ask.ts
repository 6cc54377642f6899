import type { ElicitationSchema, PermissionOption } from '@agentclientprotocol/sdk';
import { askForm, askPermission, choose } from '../services.ts';
import type { Stage } from '../stage.ts';
import { textContent } from '../tool-call.ts';

const question = 'How do you indent?';

const form: ElicitationSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name', default: 'friend', maxLength: 40 },
    indent: {
      type: 'string',
      title: question,
      oneOf: [
        { const: 'tabs', title: 'With tabs' },
        { const: 'spaces', title: 'With spaces' },
      ],
      default: 'spaces',
    },
    width: { type: 'integer', title: 'How wide?', minimum: 1, maximum: 8, default: 2 },
    isNew: { type: 'boolean', title: 'Is this your first agent?', default: true },
  },
  required: ['indent'],
};

const answers: readonly PermissionOption[] = [
  { optionId: 'tabs', name: 'With tabs', kind: 'allow_once' },
  { optionId: 'spaces', name: 'With spaces', kind: 'allow_once' },
  { optionId: 'skip', name: 'I would rather not say', kind: 'reject_once' },
];

const permissions: readonly PermissionOption[] = [
  { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'allow-always', name: 'Always allow it', kind: 'allow_always' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
  { optionId: 'reject-always', name: 'Never allow it', kind: 'reject_always' },
];

/** Asks with a form, or with a choice where the client has no forms. */
export async function askQuestion(stage: Stage): Promise<void> {
  if (!stage.can.hasForms) return askChoice(stage);
  const filled = await askForm(stage, 'A few questions, to show a form.', form);
  if (!filled) return stage.say('You kept it to yourself, which is fine.');
  const lines = Object.entries(filled).map(([name, value]) => `- ${name}: ${String(value)}`);
  await stage.say(['You answered:', '', ...lines].join('\n'));
}

async function askChoice(stage: Stage): Promise<void> {
  const tool = await stage.startTool({ kind: 'other', title: question });
  const answer = await choose(stage, tool, answers);
  await tool.finish(textContent(answer?.name ?? 'No answer'));
  if (!answer || answer.kind === 'reject_once') await stage.say('You kept it to yourself, which is fine.');
  else await stage.say(`${answer.name}. Thank you, I will tell nobody.`);
}

export async function demandPermission(stage: Stage): Promise<void> {
  const command = 'git push --force';
  const tool = await stage.startTool({ kind: 'execute', title: command, rawInput: { command } });
  const isAllowed = await askPermission(stage, tool, { subject: command, options: permissions });
  if (isAllowed) await tool.finish(textContent('Allowed, but only play: nothing was run.'));
  else await tool.fail(textContent('Rejected.'));
  await stage.say(
    isAllowed ? 'You allowed it. I did not run it: this was only a question.' : 'You rejected it.',
  );
}
