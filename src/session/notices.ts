import type { AcpError } from '../base/errors.ts';
import { lookUp } from '../base/record.ts';
import { shorten } from '../base/text.ts';
import type { Setting } from '../model/agent.ts';
import type { NoticeEvent, StopReason } from '../model/session-events.ts';
import { namedValues, type SettingWish } from '../model/settings/setting-names.ts';
import { redactText } from '../system/redact.ts';

const maxQuoted = 60;

/** An error in the chat. Commands and what an agent wrote before it exited may have secrets. */
export function errorNotice(error: AcpError, wasBusy = false): NoticeEvent {
  const message = redactText(error.message);
  const title = wasBusy ? message.replace(/\.$/, ' while answering.') : message;
  const detail = error.detail.map(redactText);
  const notice: NoticeEvent = { kind: 'notice', severity: 'error', title, detail };
  return error.hint === undefined ? notice : { ...notice, hint: redactText(error.hint) };
}

/** What to do after a turn that failed. `isUnanswered`: its prompt goes back to the prompt window. */
export function nextStep(isUnanswered: boolean): string {
  return isUnanswered
    ? 'Your prompt is in the prompt window again. :AcpLog has more.'
    : ':AcpRetry sends the prompt again. :AcpLog has more.';
}

export const allowsAllNow: NoticeEvent = {
  kind: 'notice',
  severity: 'warning',
  title: 'You allow everything in this session but destructive commands.',
  hint: ':AcpPermissions ask ends it.',
};

export const asksAgain: NoticeEvent = {
  kind: 'notice',
  severity: 'info',
  title: 'You are asked again about what no rule allows.',
};

/** Files with rules are there and can't be read. */
export function rulesUnreadable(problems: readonly string[]): NoticeEvent {
  const title = 'You are asked about everything, because rules of yours can not be read.';
  return { kind: 'notice', severity: 'warning', title, detail: problems };
}

/** A prompt was not taken into the running turn. It is in the queue. */
export function notInjected(text: string, reason: string, hint?: string): NoticeEvent {
  const notice: NoticeEvent = {
    kind: 'notice',
    severity: 'warning',
    title: `"${shorten(text.trim().split('\n', 1)[0]!, maxQuoted)}" was not sent into the running turn and is queued: ${redactText(reason)}`,
  };
  return hint === undefined ? notice : { ...notice, hint };
}

export function cannotSteer(agent: string, text: string): NoticeEvent {
  return { ...notInjected(text, `${agent} takes no prompts during a turn.`), severity: 'info' };
}

export function loginFailed(code: number): NoticeEvent {
  const title = `The login command exited with code ${code}.`;
  return { kind: 'notice', severity: 'error', title, hint: ':AcpLogin tries again.' };
}

export function loggedIn(agent: string): NoticeEvent {
  return { kind: 'notice', severity: 'info', title: `You are logged in to ${agent}.` };
}

export function loginEnded(agent: string): NoticeEvent {
  return {
    kind: 'notice',
    severity: 'info',
    title: `The login command has finished. ${agent} was restarted.`,
  };
}

/** The whole command of a login, because a picker may truncate it. */
export function loginCommand(line: string, details: readonly string[]): NoticeEvent {
  const title = 'To log in, this command runs in a terminal once you confirm it:';
  return { kind: 'notice', severity: 'info', title, detail: [line, ...details] };
}

/** An error with a hint how to log in. `isOpen`: the session is open, and only a prompt has failed. */
export function withLoginHint(
  error: AcpError,
  { name, login }: LoginSpec,
  { hasMethods, isOpen = false }: { readonly hasMethods: boolean; readonly isOpen?: boolean },
): NoticeEvent {
  const key = missingKeyIn(error.message);
  const steps = [
    ...(hasMethods ? [':AcpLogin shows the ways to log in'] : key === undefined ? [loginAdvice(login)] : []),
    ...(key === undefined ? [] : [`Set ${key} in agents.${name}.env, or before Neovim is started`]),
  ];
  const retry = isOpen ? 'the next prompt, or :AcpQueue resume, tries again' : ':AcpRestart tries again';
  return { ...errorNotice(error), hint: `${steps.join('. ')}; ${retry}.` };
}

function missingKeyIn(message: string): string | undefined {
  const variables = message.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN)\b/g) ?? [];
  if (variables.length > 0) return [...new Set(variables)].join(' or ');
  return /\bapi[ _-]?key\b/i.test(message) ? 'the variable with the API key' : undefined;
}

/** The configured login advice, without `:AcpLogin`, which has been tried already. */
export function loginAdvice(login: string | undefined): string {
  const line = login?.replace(/^:AcpLogin, or /, '') ?? 'log in with its own program';
  return line.charAt(0).toUpperCase() + line.slice(1);
}

interface LoginSpec {
  readonly name: string;
  readonly login?: string;
}

export const loggedOut: NoticeEvent = {
  kind: 'notice',
  severity: 'info',
  title: 'Logged out.',
  hint: ':AcpLogin logs in again.',
};

export function settingChanged({ name, current, choices }: Setting): NoticeEvent {
  const chosen = choices.find(({ value }) => value === current)?.name ?? current;
  const value = typeof chosen === 'boolean' ? (chosen ? 'on' : 'off') : chosen;
  return { kind: 'notice', severity: 'info', title: `${name}: ${value}`, isNotJournaled: true };
}

export function valueNotOffered(setting: string, value: string | boolean): NoticeEvent {
  const title = `${setting} can't be set to "${value}".`;
  return { kind: 'notice', severity: 'warning', title, hint: ':AcpOption lists its values.' };
}

/** A configured or remembered value that the agent does not have; `settings` are those that may be meant. */
export function wishNotOffered(
  agent: string,
  { query, value, source }: SettingWish,
  settings: readonly Setting[],
): NoticeEvent {
  const what = query.category ?? query.id ?? 'setting';
  const [only] = settings.length === 1 ? settings : [];
  const offers = only
    ? namedValues(only).map(({ value: offered, names }) => (typeof offered === 'string' ? offered : names[0]))
    : settings.map(({ id }) => id);
  const title = only
    ? `${agent} has no ${only.name} "${value}" (${source}).`
    : `${agent} has no setting "${what}" (${source}).`;
  const hint = offers.length === 0 ? 'It offers no settings.' : `It offers: ${offers.join(', ')}.`;
  return { kind: 'notice', severity: 'warning', title, hint };
}

export function settingNotApplied(setting: string, reason: string): NoticeEvent {
  return { kind: 'notice', severity: 'warning', title: `${setting} could not be set: ${redactText(reason)}` };
}

export function stillStarting(name: string, seconds: number): NoticeEvent {
  return {
    kind: 'notice',
    severity: 'warning',
    title: `${name} has not answered for ${seconds} s.`,
    hint: 'It may still be starting. :AcpRestart starts it again, :AcpLog shows what it wrote.',
  };
}

export function agentKilled(name: string): NoticeEvent {
  const title = `${name} did not stop and was killed.`;
  return { kind: 'notice', severity: 'warning', title, hint: ':AcpRestart starts it again.' };
}

const askAgain = ':AcpRetry sends the prompt again.';

/** The end of the agent has cut off an answer. */
export function withRetryHint(notice: NoticeEvent): NoticeEvent {
  const { hint } = notice;
  return { ...notice, hint: hint === undefined ? askAgain : `${hint} ${askAgain}` };
}

/** The end of Neovim or of the host has ended the turn. `notice` is the reason if it was the host. */
export function cutOff(notice: NoticeEvent | undefined, isUnsent: boolean): NoticeEvent {
  const what = isUnsent ? 'before this prompt was sent.' : 'before this answer was complete.';
  const title = notice ? notice.title.replace(/\.$/, ` ${what}`) : `Neovim ended ${what}`;
  const hint = isUnsent ? ':AcpRetry sends it.' : askAgain;
  return { ...notice, kind: 'notice', severity: 'warning', title, hint };
}

export const hostRestarted: NoticeEvent = {
  kind: 'notice',
  severity: 'warning',
  title: 'The host process of acp.nvim was restarted.',
};

export function agentRestarted(name: string, hasMemory: boolean): NoticeEvent {
  const title = hasMemory ? `${name} was restarted and continues the session.` : `${name} was restarted.`;
  return { kind: 'notice', severity: 'info', title };
}

export function reopenFailed(error: AcpError): NoticeEvent {
  const title = `The earlier session could not be reopened: ${redactText(error.message)}`;
  const hint = 'The agent started a new session and has no memory of the messages above.';
  return { kind: 'notice', severity: 'warning', title, hint };
}

export const startedWithoutMemory: NoticeEvent = {
  kind: 'notice',
  severity: 'warning',
  title: 'The agent started a new session and has no memory of the messages above.',
};

export const resumedWithoutHistory: NoticeEvent = {
  kind: 'notice',
  severity: 'info',
  title: 'The agent continues the earlier session but did not send its history.',
};

export function journalNotWritable(reason: string): NoticeEvent {
  return {
    kind: 'notice',
    severity: 'warning',
    title: `The journal can't be written: ${reason}`,
    hint: 'The chat continues; it is written to the journal as soon as that is possible again.',
  };
}

export const journalWritable: NoticeEvent = {
  kind: 'notice',
  severity: 'info',
  title: 'The journal is written again. Nothing is missing.',
};

/** Not journaled, because it appears each time the journal is read. */
export function damagedRecords(count: number): NoticeEvent {
  const what = count === 1 ? '1 record of the journal is' : `${count} records of the journal are`;
  return {
    kind: 'notice',
    severity: 'warning',
    title: `${what} damaged or from a newer version, and skipped.`,
    isNotJournaled: true,
  };
}

export const updateNotShown: NoticeEvent = {
  kind: 'notice',
  severity: 'warning',
  title: 'An update from the agent could not be shown.',
  hint: ':AcpLog has the error, :AcpTraffic the message.',
};

// Some agents end a turn like this when their model fails.
const emptyTurn: NoticeEvent = {
  kind: 'notice',
  severity: 'warning',
  title: 'The agent ended the turn without an answer.',
  hint: ':AcpLog may have the reason; :AcpRestart restarts the agent.',
};

const stopNotices: Readonly<Record<string, NoticeEvent>> = {
  cancelled: { kind: 'notice', severity: 'info', title: 'Stopped.' },
  max_tokens: {
    kind: 'notice',
    severity: 'warning',
    title: 'The answer was cut off: the token limit is reached.',
  },
  max_turn_requests: {
    kind: 'notice',
    severity: 'warning',
    title: 'The agent stopped: it reached the limit of requests for one turn.',
    hint: 'Send "continue" to continue.',
  },
  refusal: {
    kind: 'notice',
    severity: 'warning',
    title:
      'The agent refused to continue. It has removed this prompt and everything after it from the session.',
  },
};

/** How a turn ended, where that is not the ordinary end. `isSilent`: the agent sent nothing in the turn. */
export function stopNotice(stopReason: StopReason, isSilent: boolean): NoticeEvent | undefined {
  const known = lookUp(stopNotices, stopReason);
  if (known) return known;
  if (stopReason === 'end_turn') return isSilent ? emptyTurn : undefined;
  const title = `The turn ended with an unknown stop reason: ${stopReason}.`;
  return { kind: 'notice', severity: 'info', title };
}

/** The texts of a call that are not in memory could not be read from the journal. */
export function bodyNotRead(title: string): NoticeEvent {
  return {
    kind: 'notice',
    severity: 'warning',
    title: `The output of "${title}" could not be read from the journal of this chat.`,
    hint: ':AcpLog has the reason.',
    isNotJournaled: true,
  };
}
