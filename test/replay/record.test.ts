import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Agent } from '../../src/acp/agent.ts';
import { realClock } from '../../src/clock.ts';
import { Leash } from '../../src/processes.ts';
import { Recorder } from '../../src/recorder.ts';
import { Session, type SessionWatcher } from '../../src/session/session.ts';
import { buildOnce, tourPath } from '../support/build.ts';
import { LogDouble } from '../support/doubles.ts';
import { aFolder } from '../support/temp.ts';
import { waitFor } from '../support/wait.ts';
import { Performance } from './performance.ts';
import { readRecording } from './recording.ts';

/** A session with the tour whose messages are recorded. */
async function record(folder: string, prompts: readonly string[]): Promise<Session> {
  await buildOnce();
  const log = new LogDouble();
  const leash = new Leash();
  onTestFinished(() => leash.dispose());
  const spec = {
    name: 'tour',
    command: [process.execPath, tourPath],
    env: { ACP_TOUR_PACE: '0' },
    cwd: folder,
  };
  const session: Session = new Session(
    spec,
    { launcher: { launch: (one) => new Agent(one, leash, log) }, clock: realClock, log },
    alwaysYes(() => session),
  );
  session.start();
  // The tour greets when the session is open, maybe after a first prompt.
  await waitFor(
    () => session.state.phase === 'idle' && said(session).some((text) => text.includes('Welcome')),
  );
  const recorder = new Recorder(path.join(folder, 'tour.jsonl'), { clock: realClock });
  recorder.start(session.lastLink!.traffic, () => undefined);
  for (const prompt of prompts) {
    session.send(prompt);
    await waitFor(() => session.state.phase === 'idle' && session.state.queue.length === 0);
  }
  recorder.dispose();
  await session.end();
  return session;
}

function alwaysYes(session: () => Session): SessionWatcher {
  return {
    onChange: (event) => {
      if (event.kind !== 'question_asked') return;
      queueMicrotask(() => session().asking.choose(event.question.id, 0));
    },
    onPromptReturned: () => undefined,
    onTerminalLogin: () => undefined,
  };
}

function said(session: Session): readonly string[] {
  return session.state.entries.flatMap((entry) =>
    entry.kind === 'message' ? [`${entry.role}: ${entry.text.toString()}`] : [`${entry.kind}`],
  );
}

it('plays what :AcpRecord wrote', async () => {
  const folder = aFolder();
  const recorded = await record(folder, ['hello', 'tools', 'permission', 'plan']);
  const { lives } = readRecording(folder, 'tour', folder);
  expect(lives).toHaveLength(1);
  const performance = new Performance(lives[0]!, aFolder());
  const report = await performance.run();
  expect(report).toMatchObject({ unanswered: [], answeredAgain: [], unexpected: [] });
  expect(report.stuckAt).toBeUndefined();
  expect(report.played).toHaveLength(lives[0]!.length);
  expect(said(performance.session)).toEqual(said(recorded));
});
