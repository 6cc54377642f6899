import type { ContentBlock } from '@agentclientprotocol/sdk';
import { makeGradient } from '../attachments/gradient.ts';
import type { TourTurn } from '../turn.ts';

const usage = { used: 68_000, size: 200_000, cost: { amount: 0.12, currency: 'USD' } };

const notices = [
  { severity: 'info', title: 'A notice', description: 'Information that is not part of the conversation.' },
  { severity: 'warning', title: 'A warning', description: 'Something you should look at.' },
  { severity: 'error', title: 'An error', description: 'An error notice does not end the turn.' },
];

export async function setTitle(turn: TourTurn, rest: string): Promise<void> {
  const title = rest || 'A title set by the agent';
  await turn.sendUpdate({ sessionUpdate: 'session_info_update', title });
  await turn.sendMessage('This chat has a new title.');
}

export async function showUsage(turn: TourTurn): Promise<void> {
  await turn.sendUpdate({ sessionUpdate: 'usage_update', ...usage });
  await turn.sendMessage('The figures above the chat are made up. Real agents report their usage there.');
}

export async function sendNotices(turn: TourTurn): Promise<void> {
  if (!turn.capabilities.hasNotices) {
    await turn.sendMessage('This client does not support notices.');
    return;
  }
  for (const notice of notices) await turn.sendUpdate({ sessionUpdate: 'notice', ...notice });
  await turn.sendMessage('I sent three notices before this line.');
}

/** Lists the attachments of the prompt, then sends a link, a text and a picture. */
export async function exchangeResources(turn: TourTurn): Promise<void> {
  const { attachments } = turn.prompt;
  const received = attachments.map(({ description }) => `- ${description}`).join('\n');
  await turn.sendMessage(
    attachments.length === 0
      ? 'Nothing was attached to your prompt. Write `resources @` and choose a file from the menu.'
      : `You attached:\n\n${received}`,
  );
  await turn.sendMessage(
    'And this is from me: a link, a text and a picture. `<CR>` on one of them opens it.',
  );
  for (const content of makeResources()) await turn.sendContent(content);
}

function makeResources(): readonly ContentBlock[] {
  return [
    {
      type: 'resource_link',
      name: 'protocol',
      title: 'The Agent Client Protocol',
      uri: 'https://agentclientprotocol.com',
    },
    {
      type: 'resource',
      resource: { uri: 'tour:///note.txt', mimeType: 'text/plain', text: 'A note from the tour.' },
    },
    {
      type: 'image',
      mimeType: 'image/png',
      uri: 'tour:///gradient.png',
      data: makeGradient(64, 48).toString('base64'),
    },
  ];
}
