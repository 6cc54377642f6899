import type { AcpError } from '../errors.ts';
import type { NoticeEvent } from './events.ts';
import type { Setting } from './model.ts';

/** What the user is told of an error. */
export function noticeOf(error: AcpError, wasBusy = false): NoticeEvent {
  const title = wasBusy ? error.message.replace(/\.$/, ' while answering.') : error.message;
  const notice: NoticeEvent = { kind: 'notice', severity: 'error', title, detail: error.detail };
  return error.hint === undefined ? notice : { ...notice, hint: error.hint };
}

export function loginFailed(code: number): NoticeEvent {
  const title = `The login ended with code ${code}.`;
  return { kind: 'notice', severity: 'error', title, hint: ':AcpLogin tries again.' };
}

export function loggedIn(agent: string): NoticeEvent {
  return { kind: 'notice', severity: 'info', title: `You are logged in to ${agent}.` };
}

export function loginDone(agent: string): NoticeEvent {
  return { kind: 'notice', severity: 'info', title: `The login has ended. ${agent} was started again.` };
}

/** What a login would run, whole: a picker may have no room for it. */
export function loginCommand(line: string, details: readonly string[]): NoticeEvent {
  const title = 'To log in, this command would run in a terminal:';
  return { kind: 'notice', severity: 'info', title, detail: [line, ...details] };
}

/** Tells what to do when an agent wants a login, or did not take one. */
export function withLoginHint(error: AcpError, { name, login }: LoginSpec, hasMethods: boolean): NoticeEvent {
  const key = missingKeyIn(error.message);
  const ways = [
    ...(hasMethods ? [':AcpLogin shows the ways to log in'] : key === undefined ? [loginAdvice(login)] : []),
    ...(key === undefined ? [] : [`Set ${key} in agents.${name}.env, or before Neovim is started`]),
  ];
  return { ...noticeOf(error), hint: `${ways.join('. ')}; :AcpRestart tries again.` };
}

function missingKeyIn(message: string): string | undefined {
  const variables = message.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN)\b/g) ?? [];
  if (variables.length > 0) return [...new Set(variables)].join(' or ');
  return /\bapi[ _-]?key\b/i.test(message) ? 'the variable with the key' : undefined;
}

/** The line of the configuration on how to log in, without what was tried already. */
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
  return { kind: 'notice', severity: 'info', title: `${name}: ${value}`, isPassing: true };
}

export function notOffered(setting: string, value: string | boolean): NoticeEvent {
  const title = `${setting} can't be set to "${value}".`;
  return { kind: 'notice', severity: 'warning', title, hint: ':AcpOption shows what it can be set to.' };
}

export function stillStarting(name: string, seconds: number): NoticeEvent {
  return {
    kind: 'notice',
    severity: 'warning',
    title: `${name} has not answered for ${seconds} s.`,
    hint: 'It may still be starting. :AcpRestart starts it again, :AcpLog shows what it wrote.',
  };
}

export function endedByForce(name: string): NoticeEvent {
  const title = `${name} did not stop and was ended.`;
  return { kind: 'notice', severity: 'warning', title, hint: ':AcpRestart starts it again.' };
}

export const startedAgain: NoticeEvent = {
  kind: 'notice',
  severity: 'warning',
  title: 'The host was started again.',
};

export function backAgain(name: string, hasMemory: boolean): NoticeEvent {
  const title = hasMemory
    ? `${name} was started again and remembers the conversation.`
    : `${name} was started again.`;
  return { kind: 'notice', severity: 'info', title };
}

export function notOpenedAgain(error: AcpError): NoticeEvent {
  const title = `The earlier conversation could not be opened again: ${error.message}`;
  const hint = 'The agent begins anew and does not know what is above.';
  return { kind: 'notice', severity: 'warning', title, hint };
}

export const begunAnew: NoticeEvent = {
  kind: 'notice',
  severity: 'warning',
  title: 'The agent begins anew and does not know what is above.',
};

export const historyUnknown: NoticeEvent = {
  kind: 'notice',
  severity: 'info',
  title: 'The agent goes on with an earlier conversation but does not tell what was said.',
};

export function notWritten(reason: string): NoticeEvent {
  return {
    kind: 'notice',
    severity: 'warning',
    title: `The transcript can't be written: ${reason}`,
    hint: 'The conversation goes on. What is said is written as soon as that is possible again.',
  };
}

export const writtenAgain: NoticeEvent = {
  kind: 'notice',
  severity: 'info',
  title: 'The transcript is written again. Nothing is missing in it.',
};

/** It is said each time the transcript is read, so it is no part of it. */
export function damaged(count: number): NoticeEvent {
  const what = count === 1 ? '1 record of the transcript is' : `${count} records of the transcript are`;
  return {
    kind: 'notice',
    severity: 'warning',
    title: `${what} damaged or of a newer version, and left out.`,
    isPassing: true,
  };
}

export const notShown: NoticeEvent = {
  kind: 'notice',
  severity: 'warning',
  title: 'Something that the agent sent could not be shown.',
  hint: ':AcpLog tells why, :AcpTraffic shows what was sent.',
};
