import { writeSync } from 'node:fs';
import { ErrorCodes, ResponseError } from 'vscode-jsonrpc/node';
import type { TourTurn } from '../turn.ts';

const crashCode = 41;
const crashStderr = 'tour: crashing, as requested\ntour: :AcpRestart starts me again\n';

export function answerWithError(): Promise<never> {
  const message = 'This error is part of the tour. The chat continues.';
  return Promise.reject(new ResponseError(ErrorCodes.InternalError, message));
}

export async function crash(turn: TourTurn): Promise<void> {
  await turn.sendMessage('I will exit in the middle of this');
  writeSync(process.stderr.fd, crashStderr);
  process.exit(crashCode);
}

export function hang(turn: TourTurn): Promise<void> {
  return turn.untilCancelled();
}

export function ignoreCancel(): Promise<never> {
  return new Promise(() => undefined);
}

export async function refuse(turn: TourTurn): Promise<void> {
  await turn.sendMessage('I would rather not.');
}

export async function runOutOfTokens(turn: TourTurn): Promise<void> {
  await turn.sendMessage('This sentence is too long for the tokens that are');
}
