import { shellQuote } from '../../base/shell.ts';
import type { AuthMethod } from '../../model/agent.ts';
import type { Picker } from '../../ports/dialogs.ts';
import { consentText } from '../questions/consent-text.ts';
import { sanitiseLine } from '../sanitise.ts';

export function loginPicker(chat: number, agent: string, methods: readonly AuthMethod[]): Picker {
  const items = methods.map(({ id, name, description }) => ({
    label: sanitiseLine([name, description].filter(Boolean).join(' — ')),
    op: 'login.start',
    payload: { chat, method: id },
  }));
  return { prompt: `Log in to ${sanitiseLine(agent)}`, kind: 'acp.login', items };
}

/** Asks whether a login may run its command. The prompt has the whole command. */
export function loginRunPicker(
  payload: { readonly chat: number; readonly run: number },
  agent: string,
  { command, env, isOther }: AuthMethod & { kind: 'terminal' },
): Picker {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${shellQuote(value)}`);
  const note = isOther ? ' (not the program you configured)' : '';
  const title = `Run this command in a terminal to log in to ${sanitiseLine(agent)}${note}`;
  return {
    ...consentText(title, [...variables, ...command.map(shellQuote)].join(' ')),
    kind: 'acp.login',
    isGuarded: true,
    items: [{ label: 'Run it', op: 'login.confirm', payload, consents: true }, { label: 'Cancel' }],
  };
}
