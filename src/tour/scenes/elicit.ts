import type { ElicitationSchema } from '@agentclientprotocol/sdk';
import { askForm, sendToPage } from '../services.ts';
import type { Stage } from '../stage.ts';

const usualPage = 'https://agentclientprotocol.com/';
const pageBeats = 200;

/** A field of every kind there is. */
const everyKind: ElicitationSchema = {
  type: 'object',
  title: 'A project',
  description: 'Nothing is made of it: your answers are only read back to you.',
  properties: {
    name: {
      type: 'string',
      title: 'Name',
      description: 'Small letters and dashes.',
      minLength: 2,
      maxLength: 20,
      pattern: '^[a-z-]+$',
    },
    email: { type: 'string', title: 'Your address', format: 'email' },
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

export async function showForm(stage: Stage): Promise<void> {
  if (!stage.can.hasForms) return stage.say('This client shows no forms, so I keep my questions.');
  await stage.explain('`:AcpAnswer` opens the form again when you have put it aside.');
  const filled = await askForm(stage, 'Let us plan a project.', everyKind);
  if (!filled) return stage.say('No project, then.');
  const lines = Object.entries(filled).map(([name, value]) => `- ${name}: ${String(value)}`);
  await stage.say(['A fine project:', '', ...lines].join('\n'));
}

/** Sends the user to a page, and lets some time pass as if something were done there. */
export async function showLink(stage: Stage, rest: string): Promise<void> {
  if (!stage.can.opensPages) return stage.say('This client opens no pages, so I keep the address.');
  stage.session.pageCount += 1;
  const elicitationId = `${stage.session.id}-page-${stage.session.pageCount}`;
  const message = 'Here is where the protocol is described.';
  if (!(await sendToPage(stage, { message, url: rest || usualPage, elicitationId }))) {
    return stage.say('You stay here, which is fine.');
  }
  await stage.pause(pageBeats);
  await stage.tell('elicitation/complete', { elicitationId });
  await stage.say('I take it that you have seen the page.');
}
