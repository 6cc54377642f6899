import type { ElicitationSchema, PermissionOption } from '@agentclientprotocol/sdk';
import { askForm, askForPermission, chooseOption } from '../client-requests.ts';
import { textContent } from '../tool-call.ts';
import type { TourTurn } from '../turn.ts';
import { listAnswers } from './forms/form-answers.ts';
import { commandCall, permissionOptions, requestOne } from './permissions/one.ts';

const questionTitle = 'How do you indent?';

const form: ElicitationSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name', default: 'friend', maxLength: 40 },
    indent: {
      type: 'string',
      title: questionTitle,
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

/** Asks with a form, or with a permission request if the client does not support forms. */
export async function askQuestion(turn: TourTurn): Promise<void> {
  if (!turn.capabilities.hasForms) return askChoice(turn);
  const filled = await askForm(turn, 'A few questions, as an example of a form.', form);
  if (!filled) return turn.sendMessage('You did not answer, which is fine.');
  await turn.sendMessage(`You answered:\n\n${listAnswers(form, filled)}`);
}

async function askChoice(turn: TourTurn): Promise<void> {
  const tool = await turn.startToolCall({ kind: 'other', title: questionTitle });
  const answer = await chooseOption(turn, tool, answers);
  await tool.finish(textContent(answer?.name ?? 'No answer'));
  if (!answer || answer.kind === 'reject_once') await turn.sendMessage('You did not answer, which is fine.');
  else await turn.sendMessage(`You answered: ${answer.name}.`);
}

export async function requestPermission(turn: TourTurn): Promise<void> {
  const command = 'git push --force';
  const tool = await turn.startToolCall({ kind: 'execute', title: command, rawInput: { command } });
  const isAllowed = await askForPermission(turn, tool, { subject: command, options: permissionOptions });
  if (isAllowed)
    await tool.finish(textContent('Allowed, but nothing was run: this is only a demonstration.'));
  else await tool.fail(textContent('Rejected.'));
  await turn.sendMessage(
    isAllowed ? 'You allowed it. Nothing was run: this is only a demonstration.' : 'You rejected it.',
  );
}

const severalCommands = ['npm run lint', 'npm run build', 'npm test'];

/** Asks about several commands at once. All of them can get one answer. */
export async function requestSeveralPermissions(turn: TourTurn): Promise<void> {
  const allowed = await Promise.all(severalCommands.map((command) => requestOne(turn, commandCall(command))));
  const count = allowed.filter(Boolean).length;
  await turn.sendMessage(
    `You allowed ${count} of ${allowed.length}. Nothing was run: this is only a demonstration.`,
  );
}
