import { AcpError } from '../../src/base/errors.ts';
import { type Prompt, textPrompt } from '../../src/model/prompt.ts';
import type { SessionEvent } from '../../src/model/session-events.ts';
import { Session } from '../../src/session/session.ts';
import { anAgentSpec } from './builders.ts';
import { ManualClock } from './doubles/clock.ts';
import { LauncherDouble } from './doubles/link.ts';
import { LogDouble } from './doubles/log.ts';

export const exited = new AcpError('agent_exited', 'tester exited with code 1.', {
  detail: ['no key'],
  hint: ':AcpRestart starts it again.',
});

/** A session with doubles around it, and everything that happened to it in one line of time. */
export function aSession() {
  const timeline: string[] = [];
  const events: SessionEvent[] = [];
  const returned: string[] = [];
  const returnedPrompts: Prompt[] = [];
  const launcher = new LauncherDouble((call) => timeline.push(`agent: ${call}`));
  const clock = new ManualClock();
  const log = new LogDouble();
  const session = new Session(
    anAgentSpec(),
    { launcher, clock, log },
    {
      onChange: (event: SessionEvent) => {
        events.push(event);
        timeline.push(event.kind);
      },
      onTerminalLogin: (_, { id }) => timeline.push(`terminal: ${id}`),
      onPromptReturned: (prompt) => {
        const { text } = prompt;
        returnedPrompts.push(prompt);
        returned.push(text);
        timeline.push(`returned: ${text}`);
      },
    },
  );
  return { session, launcher, clock, log, timeline, events, returned, returnedPrompts };
}

export type SessionParts = ReturnType<typeof aSession>;

export async function aReadySession(): Promise<SessionParts> {
  const parts = aSession();
  parts.session.start();
  await parts.launcher.last.becomeReady();
  return parts;
}

export async function aBusySession(): Promise<SessionParts> {
  const parts = await aReadySession();
  parts.session.send(textPrompt('go'));
  return parts;
}

export function notices({ session }: SessionParts): readonly string[] {
  return session.state.entries.flatMap((entry) => (entry.kind === 'notice' ? [entry.title] : []));
}

export function prompts({ launcher }: SessionParts): readonly string[] {
  return launcher.links.flatMap(({ calls }) => calls.filter((call) => call.startsWith('prompt')));
}
