import type { Stage } from '../stage.ts';

const steps = ['Find the right words', 'Say them', 'Stop in time'];
const stepBeats = 40;

export async function workOffPlan(stage: Stage): Promise<void> {
  await stage.explain('A plan is one block. Its marks change in place while I work.');
  for (const index of steps.keys()) {
    await stage.plan(steps, index);
    await stage.pause(stepBeats);
  }
  await stage.plan(steps, steps.length);
  await stage.say('All three steps are done.');
}
