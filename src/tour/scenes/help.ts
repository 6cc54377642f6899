import type { Stage } from '../stage.ts';
import type { Word } from '../words.ts';

const headings: Readonly<Record<Word['group'], string>> = {
  show: 'To look at',
  work: 'To work with',
  trouble: 'To see how trouble looks',
};

export async function listWords(stage: Stage, words: readonly Word[]): Promise<void> {
  await stage.explain('The first word of a prompt decides what I do, with or without a `/` before it.');
  for (const [group, heading] of Object.entries(headings)) {
    const lines = words.filter((word) => word.group === group).map(describe);
    await stage.say([`### ${heading}`, '', ...lines].join('\n'));
  }
  await stage.say('`:help acp` tells the rest.');
}

function describe({ name, hint, about }: Word): string {
  const usage = hint === undefined ? name : `${name} [${hint}]`;
  return `- \`${usage}\`: ${about}`;
}
