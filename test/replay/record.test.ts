import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Agent } from '../../src/acp/agent.ts';
import { openTransport } from '../../src/acp/transports/open.ts';
import { Recorder } from '../../src/app/traffic/recorder.ts';
import { textPrompt } from '../../src/model/prompt.ts';
import { Session, type SessionWatcher } from '../../src/session/session.ts';
import { realClock } from '../../src/system/clock.ts';
import { OrphanGuard } from '../../src/system/orphan-guard.ts';
import { LogDouble } from '../support/doubles/log.ts';
import { buildOnce, tourPath } from '../support/system/build.ts';
import { aFolder } from '../support/system/temp.ts';
import { waitFor } from '../support/wait.ts';
import { readRecording } from './recording.ts';
import { ReplayedSession } from './replayed-session.ts';

/** A session with the tour whose messages are recorded. */
async function record(folder: string, prompts: readonly string[]): Promise<Session> {
  await buildOnce();
  const log = new LogDouble();
  const orphanGuard = new OrphanGuard();
  onTestFinished(() => orphanGuard.dispose());
  const spec = {
    name: 'tour',
    command: [process.execPath, tourPath],
    env: { ACP_TOUR_PACE: '0' },
    cwd: folder,
  };
  const session: Session = new Session(
    spec,
    {
      launcher: { launch: (one) => new Agent(one, { transport: openTransport(one, orphanGuard, log), log }) },
      clock: realClock,
      log,
    },
    alwaysYes(() => session),
  );
  session.start();
  // The tour greets when the session is open, maybe after a first prompt.
  await waitFor(
    () => session.state.phase === 'idle' && said(session).some((text) => text.includes('Welcome')),
  );
  const recorder = new Recorder(path.join(folder, 'tour.jsonl'), { clock: realClock });
  recorder.start(session.lastLink!.agent.traffic, () => undefined);
  for (const prompt of prompts) {
    session.send(textPrompt(prompt));
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
      queueMicrotask(() => session().questions.choose(event.question.id, 0));
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
  const { runs } = readRecording(folder, 'tour', folder);
  expect(runs).toHaveLength(1);
  const replayed = new ReplayedSession(runs[0]!, aFolder());
  const report = await replayed.replay();
  expect(report).toMatchObject({ unanswered: [], answeredAgain: [], unexpected: [] });
  expect(report.stuckAt).toBeUndefined();
  expect(report.played).toHaveLength(runs[0]!.length);
  expect(said(replayed.session)).toEqual(said(recorded));
});
