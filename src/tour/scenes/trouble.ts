import { writeSync } from 'node:fs';
import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import type { Stage } from '../stage.ts';

const crashCode = 41;
const lastWords =
  'tour: you asked for a crash, and here it is\ntour: nothing is lost; :AcpRestart starts me again\n';

export function answerWithError(): Promise<never> {
  const message = 'This error is part of the tour. The chat goes on.';
  return Promise.reject(new ResponseError(ErrorCodes.InternalError, message));
}

export async function crash(stage: Stage): Promise<void> {
  await stage.say('I am going to end in the middle of this');
  writeSync(process.stderr.fd, lastWords);
  process.exit(crashCode);
}

export function hang(stage: Stage): Promise<void> {
  return stage.untilCancelled();
}

export function ignoreEverything(): Promise<never> {
  return new Promise(() => undefined);
}

export async function refuse(stage: Stage): Promise<void> {
  await stage.say('I would rather not.');
}

export async function runOutOfTokens(stage: Stage): Promise<void> {
  await stage.say('This sentence is too long for the tokens that are');
}
