import { expect, it } from 'vitest';
import { publicAddress } from '../../../../../src/acp/transports/remote/endpoint.ts';

it.each([
  ['wss://me:hunter2@host/acp?token=hunter2#hunter2', 'wss://host/acp'],
  ['https://host/0123456789hunter2/acp', 'https://host/…/acp'],
  ['https://host/v1/agents/acp', 'https://host/v1/agents/acp'],
  ['https://host/a-long-name-of-a-service', 'https://host/a-long-name-of-a-service'],
  ['no url', 'an invalid URL'],
])('shows %s without secrets', (url, shown) => expect(publicAddress(url)).toBe(shown));
