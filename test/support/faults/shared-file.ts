import { expect } from 'vitest';

const marks = '--- agent';
const agentLines = (version: number | string) =>
  Array.from({ length: 20 }, (_, row) => `agent ${version} line ${row}`).join('\n');

// The lines between the user's and the agent's keep their changes apart.
export const usersLines = (first: string) => `${first}\nuser two\n\n\n\n`;

/** A file whose first lines are the user's and whose other lines are the agent's. */
export const aSharedFile = (version: number | string, users = usersLines('user one')) =>
  `${users}${marks}\n${agentLines(version)}\n`;

/** The version of the agent's lines; throws if they are not all of one version. */
export function versionIn(text: string, what: string): string {
  const own = text.slice(text.indexOf(marks));
  const version = /agent (\S+) line 0\n/.exec(own)?.[1] ?? 'none';
  expect(own, `${what} is whole`).toBe(`${marks}\n${agentLines(version)}\n`);
  return version;
}
