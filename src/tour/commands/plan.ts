import type { TourTurn } from '../turn.ts';

const planSteps = ['Read the code', 'Change the function', 'Run the tests'];
const stepBeats = 40;

export async function showPlan(turn: TourTurn): Promise<void> {
  await turn.sendExplanation('A plan is one block. Its marks change while I work.');
  for (const index of planSteps.keys()) {
    await turn.sendPlan(planSteps, index);
    await turn.pause(stepBeats);
  }
  await turn.sendPlan(planSteps, planSteps.length);
  await turn.sendMessage('All three steps are done.');
}
