import type { ElicitationSchema } from '@agentclientprotocol/sdk';
import { askForm, askToOpenPage } from '../client-requests.ts';
import type { TourTurn } from '../turn.ts';
import { listAnswers } from './forms/form-answers.ts';

const defaultPage = 'https://agentclientprotocol.com/';
const pageBeats = 200;

/** A field of every kind. */
const formWithEveryField: ElicitationSchema = {
  type: 'object',
  title: 'A project',
  description: 'Your answers are only shown to you. Nothing is created.',
  properties: {
    name: {
      type: 'string',
      title: 'Name',
      description: 'Lowercase letters and dashes.',
      minLength: 2,
      maxLength: 20,
      pattern: '^[a-z-]+$',
    },
    email: { type: 'string', title: 'Email', format: 'email' },
    due: { type: 'string', title: 'Due on', format: 'date', default: '2030-01-31' },
    licence: { type: 'string', title: 'Licence', enum: ['MIT', 'Apache-2.0', 'none'] },
    language: {
      type: 'string',
      title: 'Language',
      oneOf: [
        { const: 'lua', title: 'Lua', description: 'small and quick' },
        { const: 'ts', title: 'TypeScript', description: 'with types' },
      ],
      default: 'lua',
    },
    people: { type: 'integer', title: 'How many people?', minimum: 1, maximum: 99, default: 1 },
    budget: { type: 'number', title: 'Budget', minimum: 0 },
    isOpen: { type: 'boolean', title: 'Open source?', default: true },
    checks: {
      type: 'array',
      title: 'Checks',
      items: {
        anyOf: [
          { const: 'lint', title: 'A linter' },
          { const: 'types', title: 'Types' },
          { const: 'tests', title: 'Tests' },
        ],
      },
      minItems: 1,
      default: ['tests'],
    },
  },
  required: ['name', 'language', 'checks'],
};

export async function showForm(turn: TourTurn): Promise<void> {
  if (!turn.capabilities.hasForms) return turn.sendMessage('This client does not support forms.');
  await turn.sendExplanation('`:AcpAnswer` opens the form again if you close it.');
  const filled = await askForm(turn, 'Let us plan a project.', formWithEveryField);
  if (!filled) return turn.sendMessage('No project, then.');
  await turn.sendMessage(`Your project:\n\n${listAnswers(formWithEveryField, filled)}`);
}

/** Asks the user to open a page, and reports after a pause that they are done there. */
export async function showLink(turn: TourTurn, rest: string): Promise<void> {
  if (!turn.capabilities.opensPages) return turn.sendMessage('This client does not open web pages.');
  turn.session.linkCount += 1;
  const elicitationId = `${turn.session.id}-page-${turn.session.linkCount}`;
  const message = 'This page describes the protocol.';
  if (!(await askToOpenPage(turn, { message, url: rest || defaultPage, elicitationId }))) {
    return turn.sendMessage('The page was not opened.');
  }
  await turn.pause(pageBeats);
  await turn.notify('elicitation/complete', { elicitationId });
  await turn.sendMessage('You are back from the page.');
}
