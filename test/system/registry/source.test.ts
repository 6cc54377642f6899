import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { RegistrySource } from '../../../src/registry/source.ts';
import { aWebServer } from '../../support/system/http.ts';
import { aFolder } from '../../support/system/temp.ts';

const { signal } = new AbortController();

function aRegistry(...ids: string[]): string {
  const agents = ids.map((id) => ({
    id,
    name: id,
    version: '1.0.0',
    description: 'x',
    distribution: { npx: { package: id } },
  }));
  return JSON.stringify({ version: '1.0.0', agents });
}

const read = async (source: RegistrySource) => {
  const { registry, problem } = await source.read(signal);
  return { ids: registry.agents.map(({ id }) => id), problem };
};

describe('RegistrySource with a url', () => {
  it('downloads the registry once and then only if it changed', async () => {
    let etag = '"1"';
    const server = await aWebServer((_, headers) =>
      headers['if-none-match'] === etag
        ? { status: 304 }
        : { headers: { etag }, body: aRegistry(etag === '"1"' ? 'one' : 'two') },
    );
    const folder = aFolder();
    const source = () => new RegistrySource(`${server.url}/registry.json`, folder);
    expect(await read(source())).toEqual({ ids: ['one'] });
    expect(await read(source())).toEqual({ ids: ['one'] });
    etag = '"2"';
    expect(await read(source())).toEqual({ ids: ['two'] });
    expect(server.asked).toEqual(['/registry.json', '/registry.json "1"', '/registry.json "1"']);
  });

  it.each<[string, { status?: number; body?: string; headers?: Record<string, string> }, RegExp]>([
    ['answers with an error', { status: 500 }, /answered 500/],
    ['is not JSON', { body: '<html>' }, /it is not JSON/],
    ['is not a registry', { body: '{}' }, /it has no list of agents/],
    ['is too large', { body: ' '.repeat(9 * 1024 * 1024) }, /larger than/],
    [
      'redirects to http',
      { status: 302, headers: { location: 'http://acme.example/' } },
      /does not use https/,
    ],
    [
      'redirects to a file',
      { status: 302, headers: { location: 'file:///etc/passwd' } },
      /does not use https/,
    ],
    ['redirects in a loop', { status: 302, headers: { location: '/again' } }, /redirects too often/],
  ])('uses the last copy when the url %s', async (_, answer, problem) => {
    let isGood = true;
    const server = await aWebServer(() => (isGood ? { body: aRegistry('one') } : answer));
    const source = new RegistrySource(`${server.url}/registry.json`, aFolder());
    await read(source);
    isGood = false;
    expect(await read(source)).toEqual({ ids: ['one'], problem: expect.stringMatching(problem) });
    expect((await source.readWithoutNetwork())?.agents).toHaveLength(1);
  });

  it('uses the last copy when nothing listens at the url', async () => {
    const server = await aWebServer(() => ({ body: aRegistry('one') }));
    const source = new RegistrySource(server.url, aFolder());
    await read(source);
    await server.stop();
    expect(await read(source)).toEqual({ ids: ['one'], problem: expect.stringContaining('ECONNREFUSED') });
  });

  it('does not use the copy of another url', async () => {
    const server = await aWebServer((name) => (name === '/one' ? { body: aRegistry('one') } : undefined));
    const folder = aFolder();
    await read(new RegistrySource(`${server.url}/one`, folder));
    const other = new RegistrySource(`${server.url}/two`, folder);
    await expect(other.read(signal)).rejects.toThrow('/two answered 404');
    expect(await other.readWithoutNetwork()).toBeUndefined();
  });

  it('rejects http to another machine', async () => {
    const source = new RegistrySource('http://acme.example/registry.json', aFolder());
    await expect(source.read(signal)).rejects.toThrow('http://acme.example/registry.json does not use https');
  });

  it('follows redirects', async () => {
    const server = await aWebServer((name) =>
      name === '/old' ? { status: 301, headers: { location: '/new' } } : { body: aRegistry('moved') },
    );
    expect(await read(new RegistrySource(`${server.url}/old`, aFolder()))).toEqual({ ids: ['moved'] });
  });

  it('sends its headers to no other host', async () => {
    const other = await aWebServer(() => ({ body: aRegistry('moved'), headers: { etag: 'b' } }));
    let headers: Record<string, string> = { etag: 'a' };
    const first = await aWebServer(() => ({
      status: headers.location === undefined ? 200 : 302,
      headers,
      body: aRegistry('one'),
    }));
    const source = new RegistrySource(`${first.url}/registry.json`, aFolder());
    await read(source);
    headers = { location: `${other.url}/new` };
    expect(await read(source)).toEqual({ ids: ['moved'] });
    expect(first.asked).toEqual(['/registry.json', '/registry.json a']);
    expect(other.asked).toEqual(['/new']);
  });
});

describe('RegistrySource with a file', () => {
  it('reads the file', async () => {
    const file = path.join(aFolder(), 'registry.json');
    fs.writeFileSync(file, aRegistry('mine'));
    const source = new RegistrySource(file, aFolder());
    expect(await read(source)).toEqual({ ids: ['mine'] });
    expect((await source.readWithoutNetwork())?.agents).toHaveLength(1);
  });

  it('names a missing file in the error', async () => {
    const source = new RegistrySource('/nowhere/registry.json', aFolder());
    await expect(source.read(signal)).rejects.toThrow('/nowhere/registry.json');
  });
});
