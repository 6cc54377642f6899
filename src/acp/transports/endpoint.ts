import { validateHeaderName, validateHeaderValue } from 'node:http';
import { AcpError } from '../../errors.ts';
import type { AgentSpec } from '../../ports/agent.ts';

/** Where an agent elsewhere is reached. */
export interface Endpoint {
  /** Without the password that the configured one may have. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What may be shown and logged of the url: nothing that could be a secret. */
  readonly address: string;
}

/** Reads where an agent is; what is wrong with it is told without its secrets. */
export function endpointOf({ name, url: text = '', headers = {} }: AgentSpec): Endpoint {
  const url = parseUrl(text);
  if (!url)
    throw misconfigured(name, 'its url is none', `Set agents.${name}.url to one such as wss://host/acp`);
  for (const [header, value] of Object.entries(headers)) checkHeader(name, header, value);
  const login = basicLogin(url);
  url.username = '';
  url.password = '';
  return { url: url.href, headers: { ...login, ...headers }, address: addressOf(url) };
}

/** What may be shown of a url. */
export function publicAddress(url: string): string {
  const parsed = parseUrl(url);
  return parsed ? addressOf(parsed) : 'an address that is no url';
}

function addressOf({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

// fetch refuses a url with a password, and says so with the password in the message.
function basicLogin({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { Authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}

function checkHeader(name: string, header: string, value: string): void {
  try {
    validateHeaderName(header);
    validateHeaderValue(header, value);
  } catch {
    throw misconfigured(name, `its header "${header}" can't be sent`, `Correct agents.${name}.headers`);
  }
}

function misconfigured(name: string, what: string, hint: string): AcpError {
  return new AcpError('agent_missing', `${name} can't be reached: ${what}.`, {
    hint: `${hint}, then :AcpRestart.`,
  });
}
