import type { TourCommand } from '../commands.ts';
import type { TourTurn } from '../turn.ts';

const headings: Readonly<Record<TourCommand['group'], string>> = {
  show: 'Look at',
  work: 'Try',
  trouble: 'See how failures look',
};

export async function listCommands(turn: TourTurn, commands: readonly TourCommand[]): Promise<void> {
  await turn.sendExplanation('Start a prompt with one of these commands, with or without `/`.');
  for (const [group, heading] of Object.entries(headings)) {
    const lines = commands.filter((command) => command.group === group).map(describeCommand);
    await turn.sendMessage([`### ${heading}`, '', ...lines].join('\n'));
  }
  await turn.sendMessage('`:help acp` explains the rest.');
}

function describeCommand({ name, hint, description: about }: TourCommand): string {
  const usage = hint === undefined ? name : `${name} [${hint}]`;
  return `- \`${usage}\`: ${about}`;
}
