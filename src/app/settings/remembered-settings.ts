import fs from 'node:fs';
import { boolean, either, mapOf, text } from '../../base/parse.ts';
import { SerialQueue } from '../../base/serial-queue.ts';
import type { Setting } from '../../model/agent.ts';
import { asksNothing } from '../../model/settings/permissive-modes.ts';
import type { SettingValue, SettingWish } from '../../model/settings/setting-names.ts';
import type { Log } from '../../ports/log.ts';
import type { HostOptions } from '../../ports/options.ts';
import type { SettingDefaults } from '../../ports/setting-defaults.ts';
import { readRegularFile } from '../../system/files/regular-file.ts';
import { replaceFile } from '../../system/files/replace-file.ts';

type Part = HostOptions['remembered'][number];
/** Values by the ids of settings. */
type Values = Readonly<Record<string, SettingValue>>;
type SavedAgent = Readonly<Partial<Record<Part, Values>>>;
type Saved = Readonly<Record<string, SavedAgent>>;

const parts: readonly Part[] = ['model', 'mode', 'options'];
const savedAgents = mapOf(mapOf(mapOf(either(boolean, text))));
const source = 'you chose it last';

/** Keeps the settings that the user chose last for each agent, in a private file, if an option says so. */
export class RememberedSettings implements SettingDefaults {
  private readonly options: () => Pick<HostOptions, 'remembered' | 'settingsFile'>;
  private readonly log: Log;
  private readonly writes = new SerialQueue();
  /** Unknown values that the user was told of. */
  private readonly told = new Set<string>();

  constructor(options: () => Pick<HostOptions, 'remembered' | 'settingsFile'>, log: Log) {
    this.options = options;
    this.log = log;
  }

  remembered(agent: string): readonly SettingWish[] {
    const { remembered, settingsFile } = this.options();
    if (remembered.length === 0) return [];
    const saved = this.readIfPossible(settingsFile)[agent] ?? {};
    return parts
      .filter((part) => remembered.includes(part))
      .flatMap((part) => Object.entries(saved[part] ?? {}))
      .map(([id, value]) => ({ query: { id }, value, isExact: true, source }));
  }

  remember(agent: string, setting: Setting, value: SettingValue): void {
    const part = partOf(setting);
    if (!this.options().remembered.includes(part) || asksNothing(setting, value)) return;
    this.change(agent, (saved) => ({ ...saved, [part]: { ...saved[part], [setting.id]: value } }));
  }

  noteUnknown(agent: string, wish: SettingWish): boolean {
    const { id } = wish.query;
    if (wish.source === source && id !== undefined) {
      this.change(agent, (saved) => mapParts(saved, ({ [id]: _, ...others }) => others));
    }
    const key = JSON.stringify([agent, wish]);
    const isNew = !this.told.has(key);
    this.told.add(key);
    return isNew;
  }

  /** Resolves when everything is on disk. */
  async end(): Promise<void> {
    await this.writes.idle();
  }

  private change(agent: string, next: (saved: SavedAgent) => SavedAgent): void {
    const { settingsFile } = this.options();
    this.writes
      .run(async () => {
        // Another Neovim may have written it.
        const all = await this.readOrPutAside(settingsFile);
        const changed = { ...all, [agent]: next(all[agent] ?? {}) };
        await replaceFile(settingsFile, `${JSON.stringify(changed, undefined, 2)}\n`);
      })
      .catch((error: unknown) => this.log.error(`could not write ${settingsFile}`, error));
  }

  private readIfPossible(file: string): Saved {
    try {
      return parse(readText(file));
    } catch (error) {
      this.log.error(`could not read ${file}`, error);
      return {};
    }
  }

  /** What is kept. Throws if the file can't be read; one that the user has edited wrongly is put aside. */
  private async readOrPutAside(file: string): Promise<Saved> {
    const text = readText(file);
    try {
      return parse(text);
    } catch (error) {
      await fs.promises.rename(file, `${file}.damaged`);
      this.log.error(`${file} is damaged; it is now ${file}.damaged`, error);
      return {};
    }
  }
}

function partOf({ id, category }: Setting): Part {
  const name = category === 'mode' || category === 'model' ? category : id;
  return name === 'mode' || name === 'model' ? name : 'options';
}

function mapParts(saved: SavedAgent, next: (values: Values) => Values): SavedAgent {
  return Object.fromEntries(Object.entries(saved).map(([part, values]) => [part, next(values)]));
}

// Earlier versions named the option for the models of older agents `_model`.
function renamed({ _model, ...values }: Values): Values {
  return _model === undefined ? values : { model: _model, ...values };
}

function readText(file: string): string {
  // There is none yet.
  if (!fs.lstatSync(file, { throwIfNoEntry: false })) return '{}';
  return readRegularFile(file);
}

function parse(text: string): Saved {
  const saved: Saved = savedAgents(JSON.parse(text), '');
  return Object.fromEntries(Object.entries(saved).map(([agent, each]) => [agent, mapParts(each, renamed)]));
}
