import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { RememberedSettings } from '../../../../src/app/settings/remembered-settings.ts';
import type { Setting } from '../../../../src/model/agent.ts';
import type { HostOptions } from '../../../../src/ports/options.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { aFolder } from '../../../support/system/temp.ts';

const setting = (id: string, category?: string): Setting => ({
  id,
  name: id,
  category,
  current: 'a',
  choices: [],
  source: 'option',
});

function remembering(...remembered: HostOptions['remembered']) {
  const settingsFile = path.join(aFolder(), 'state', 'settings.json');
  const log = new LogDouble();
  const options = { remembered, settingsFile };
  const settings = new RememberedSettings(() => options, log);
  const values = (agent: string) =>
    new RememberedSettings(() => options, log).remembered(agent).map(({ query, value }) => [query.id, value]);
  return { settings, values, file: settingsFile, options, log };
}

describe('settings that the user chose', () => {
  it('are kept for each agent in a file that only the user can read', async () => {
    const { settings, values, file } = remembering('mode', 'model', 'options');
    settings.remember('claude', setting('permission-mode', 'mode'), 'plan');
    settings.remember('claude', setting('model', 'model'), 'opus');
    settings.remember('claude', setting('fast'), true);
    settings.remember('codex', setting('model', 'model'), 'gpt');
    settings.remember('claude', setting('model', 'model'), 'sonnet');
    await settings.end();
    expect(values('claude')).toEqual([
      ['model', 'sonnet'],
      ['permission-mode', 'plan'],
      ['fast', true],
    ]);
    expect(values('codex')).toEqual([['model', 'gpt']]);
    expect(values('gemini')).toEqual([]);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  });

  it('are kept and used only as far as the option says', async () => {
    const { settings, values, file, options } = remembering('model');
    settings.remember('claude', setting('mode', 'mode'), 'plan');
    await settings.end();
    expect(fs.existsSync(file)).toBe(false);
    settings.remember('claude', setting('model', 'model'), 'opus');
    await settings.end();
    expect(values('claude')).toEqual([['model', 'opus']]);
    Object.assign(options, { remembered: [] });
    expect(values('claude')).toEqual([]);
  });

  it('are found under the name that an earlier version gave to the models of older agents', async () => {
    const { settings, values, file } = remembering('model', 'options');
    fs.mkdirSync(path.dirname(file));
    fs.writeFileSync(file, JSON.stringify({ old: { model: { _model: 'opus' } } }));
    expect(values('old')).toEqual([['model', 'opus']]);
    settings.remember('old', setting('model', 'model'), 'sonnet');
    await settings.end();
    expect(values('old')).toEqual([['model', 'sonnet']]);
    expect(fs.readFileSync(file, 'utf8')).not.toContain('_model');
  });

  it('are not kept if the agent asks nothing with them', async () => {
    const { settings, file } = remembering('mode', 'options');
    settings.remember('claude', setting('mode', 'mode'), 'bypassPermissions');
    settings.remember('cline', setting('auto_approve'), true);
    await settings.end();
    expect(fs.existsSync(file)).toBe(false);
  });

  it('are forgotten once the agent does not offer them any more, and reported once', async () => {
    const { settings, values } = remembering('model');
    settings.remember('claude', setting('model', 'model'), 'opus');
    await settings.end();
    const [wish] = settings.remembered('claude');
    expect(settings.noteUnknown('claude', wish!)).toBe(true);
    expect(settings.noteUnknown('claude', wish!)).toBe(false);
    await settings.end();
    expect(values('claude')).toEqual([]);
  });

  it.each(['', 'no JSON', '["a"]', '{"claude": 5}', '{"claude": {"model": {"model": 5}}}'])(
    'are none if the file was damaged, which is put aside: %s',
    async (text) => {
      const { settings, values, file } = remembering('model');
      fs.mkdirSync(path.dirname(file));
      fs.writeFileSync(file, text);
      expect(values('claude')).toEqual([]);
      settings.remember('claude', setting('model', 'model'), 'opus');
      await settings.end();
      expect(values('claude')).toEqual([['model', 'opus']]);
      expect(fs.readFileSync(`${file}.damaged`, 'utf8')).toBe(text);
    },
  );

  it('are not written over a file that can not be read', async () => {
    const { settings, values, file, log } = remembering('model');
    const elsewhere = `${file}.elsewhere`;
    fs.mkdirSync(path.dirname(file));
    fs.symlinkSync(elsewhere, file);
    settings.remember('claude', setting('model', 'model'), 'opus');
    await settings.end();
    expect(values('claude')).toEqual([]);
    expect(fs.readlinkSync(file)).toBe(elsewhere);
    expect(log.lines.join()).toContain('could not write');
  });
});
