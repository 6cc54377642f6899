import type { TourTurn } from '../../turn.ts';
import { commandCall, requestOne } from './one.ts';

/** Asks for commands one after the other, so that a rule made at the first answers the second. */
export async function showRules(turn: TourTurn): Promise<void> {
  await turn.sendExplanation(
    'I ask to run `npm test`. Choose **Make a rule …** and one with a `*`: I will not have to ask a second time. ' +
      'A destructive command is asked about all the same.',
  );
  const answers: string[] = [];
  for (const command of ['npm test -- one', 'npm test -- two', 'npm test && rm -rf build']) {
    const isAllowed = await requestOne(turn, commandCall(command));
    answers.push(`- \`${command}\`: ${isAllowed ? 'allowed' : 'rejected'}`);
  }
  await turn.sendMessage(
    [
      ...answers,
      '',
      '`:AcpPermissions` lists the rules, `:AcpWhy` explains the last decision. Nothing was run.',
    ].join('\n'),
  );
}
