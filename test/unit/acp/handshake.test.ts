import { expect, it } from 'vitest';
import { capabilitiesFor } from '../../../src/acp/handshake.ts';

it.each<[string, boolean, boolean, string[], string[]]>([
  ['a program here', false, true, ['fs', 'terminal', 'auth', 'session'], []],
  ['an agent elsewhere', true, true, ['fs', 'terminal', 'session'], ['auth']],
  ['one that can not ask', true, false, ['session'], ['fs', 'terminal', 'auth', 'elicitation']],
])('%s is offered what it can use', (_, isRemote, carriesRequests, offered, withheld) => {
  const offers = { files: true, terminals: true };
  const reach = { isRemote, carriesRequests };
  const capabilities = JSON.parse(JSON.stringify(capabilitiesFor({ offers, reach }))) as object;
  for (const name of offered) expect(capabilities).toHaveProperty(name);
  for (const name of withheld) expect(capabilities).not.toHaveProperty(name);
  const isTerminal = offered.includes('auth') ? true : undefined;
  expect(capabilities).toHaveProperty('_meta', { terminal_output: true, 'terminal-auth': isTerminal });
});
