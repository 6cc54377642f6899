import { expect, it } from 'vitest';
import { clientCapabilities } from '../../../../src/acp/connection/handshake.ts';

it.each<[string, boolean, boolean, string[], string[]]>([
  ['a local program', false, true, ['fs', 'terminal', 'auth', 'session', 'plan', 'subagents'], []],
  ['a remote agent', true, true, ['fs', 'terminal', 'session'], ['auth']],
  [
    'an agent that can not send requests',
    true,
    false,
    ['session'],
    ['fs', 'terminal', 'auth', 'elicitation'],
  ],
])('%s is offered the capabilities that it can use', (_, isRemote, carriesRequests, offered, withheld) => {
  const offers = { files: true, terminals: true };
  const transport = { label: { title: 'tester' }, isRemote, carriesRequests };
  const capabilities = JSON.parse(JSON.stringify(clientCapabilities({ offers, transport }))) as object;
  for (const name of offered) expect(capabilities).toHaveProperty(name);
  for (const name of withheld) expect(capabilities).not.toHaveProperty(name);
  const isTerminal = offered.includes('auth') ? true : undefined;
  expect(capabilities).toHaveProperty('_meta', { terminal_output: true, 'terminal-auth': isTerminal });
});
