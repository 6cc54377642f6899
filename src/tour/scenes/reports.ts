import type { Stage } from '../stage.ts';

const usage = { used: 68_000, size: 200_000, cost: { amount: 0.12, currency: 'USD' } };

const notices = [
  { severity: 'info', title: 'A notice', description: 'It tells something beside the conversation.' },
  { severity: 'warning', title: 'A warning', description: 'It deserves a look.' },
  { severity: 'error', title: 'An error', description: 'Even this one does not end the turn.' },
];

export async function setTitle(stage: Stage, rest: string): Promise<void> {
  const title = rest || 'A title set by the agent';
  await stage.report({ sessionUpdate: 'session_info_update', title });
  await stage.say('This chat has a new title.');
}

export async function showUsage(stage: Stage): Promise<void> {
  await stage.report({ sessionUpdate: 'usage_update', ...usage });
  await stage.say('The figures above the chat are made up. Other agents report what they use.');
}

export async function sendNotices(stage: Stage): Promise<void> {
  if (!stage.can.hasNotices) {
    await stage.say('This client shows no notices, so I say it here: all is well.');
    return;
  }
  for (const notice of notices) await stage.report({ sessionUpdate: 'notice', ...notice });
  await stage.say('Three notices came before this line.');
}

/** Names what came with the prompt, and sends back a link and a small file of its own. */
export async function exchangeResources(stage: Stage): Promise<void> {
  const { attachments } = stage.prompt;
  const received = attachments.map((attachment) => `- ${attachment}`).join('\n');
  await stage.say(
    attachments.length === 0 ? 'Nothing was attached to your prompt.' : `You attached:\n\n${received}`,
  );
  await stage.show({
    type: 'resource_link',
    name: 'protocol',
    title: 'The Agent Client Protocol',
    uri: 'https://agentclientprotocol.com',
  });
  await stage.show({
    type: 'resource',
    resource: { uri: 'tour:///note.txt', mimeType: 'text/plain', text: 'A note from the tour.' },
  });
}
