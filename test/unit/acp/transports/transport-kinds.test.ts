import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { transportKinds } from '../../../../src/model/transport-kinds.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const spec = fs.readFileSync(path.join(root, 'lua/acp/agents/spec.lua'), 'utf8');
const wordsIn = (text = '') => [...text.matchAll(/['"](\w+)['"]/g)].map(([, word]) => word);

it('accepts the same transports in the Lua configuration as in the host', () => {
  const [, accepted] = /local transports = \{([^}]*)\}/.exec(spec) ?? [];
  expect(wordsIn(accepted)).toEqual(transportKinds);
});

it('names every transport in the message about a wrong one', () => {
  const [, expected] = /'one of ("stdio"[^']*)'/.exec(spec) ?? [];
  expect(wordsIn(expected)).toEqual(transportKinds);
});
