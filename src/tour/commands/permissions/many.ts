import path from 'node:path';
import type { ToolStart } from '../../tool-call.ts';
import type { TourTurn } from '../../turn.ts';
import { commandCall, requestOne } from './one.ts';

/** Asks about 40 calls of three kinds at once. A few rules, or a few listed answers, answer all of them. */
export async function requestManyPermissions(turn: TourTurn): Promise<void> {
  const calls = [
    ...numbers(24).map((number) => commandCall(`npm test -- case-${number}`)),
    ...numbers(10).map((number) => editCall(turn.session.cwd, number)),
    ...numbers(6).map((number) => fetchCall(number)),
  ];
  const allowed = await Promise.all(calls.map((call) => requestOne(turn, call)));
  const count = allowed.filter(Boolean).length;
  await turn.sendMessage(
    `${count} of ${allowed.length} were allowed. Nothing was done: this is only a demonstration.`,
  );
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, at) => at + 1);
}

function editCall(cwd: string, number: number): ToolStart {
  const file = path.join(cwd, 'src', `part-${number}.ts`);
  const diff = { type: 'diff', path: file, oldText: `part = ${number}\n`, newText: `part = ${number + 1}\n` };
  return {
    kind: 'edit',
    title: `src/part-${number}.ts`,
    locations: [{ path: file }],
    content: [diff as NonNullable<ToolStart['content']>[number]],
  };
}

function fetchCall(number: number): ToolStart {
  const url = `https://docs.example.org/page-${number}`;
  return { kind: 'fetch', title: url, rawInput: { url } };
}
