import { validateHeaderName, validateHeaderValue } from 'node:http';
import { AcpError } from '../../../base/errors.ts';
import type { AgentSpec } from '../../../ports/agent.ts';

/** How to reach a remote agent. */
export interface Endpoint {
  /** Without user name and password. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The part of the url that may be shown and logged: without password, query, fragment and long names with digits. */
  readonly address: string;
}

/** Reads url and headers from the configuration. Its errors contain no secrets. */
export function readEndpoint({ name, url: text = '', headers = {} }: AgentSpec): Endpoint {
  const url = tryParseUrl(text);
  if (!url)
    throw configurationError(
      name,
      'its url is not a valid URL',
      `Set agents.${name}.url to one such as wss://host/acp`,
    );
  for (const [header, value] of Object.entries(headers)) checkHeader(name, header, value);
  const login = basicAuthHeader(url);
  url.username = '';
  url.password = '';
  return { url: url.href, headers: { ...login, ...headers }, address: addressWithoutSecrets(url) };
}

/** The part of a url that may be shown and logged. */
export function publicAddress(url: string): string {
  const parsed = tryParseUrl(url);
  return parsed ? addressWithoutSecrets(parsed) : 'an invalid URL';
}

function addressWithoutSecrets({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname.replace(mayBeKey, '/…')}`;
}

// Some services have the key in the path of the url.
const mayBeKey = /\/(?=[^/]*\d)[^/]{16,}/g;

function tryParseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

// fetch rejects a url with a password and quotes the password in its error.
function basicAuthHeader({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { Authorization: `Basic ${Buffer.from(login).toString('base64')}` };
}

function checkHeader(name: string, header: string, value: string): void {
  try {
    validateHeaderName(header);
    validateHeaderValue(header, value);
  } catch {
    throw configurationError(name, `its header "${header}" can't be sent`, `Correct agents.${name}.headers`);
  }
}

function configurationError(name: string, what: string, hint: string): AcpError {
  return new AcpError('agent_missing', `${name} can't be reached: ${what}.`, {
    hint: `${hint}, then :AcpRestart.`,
  });
}
