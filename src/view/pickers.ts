import { quoted } from '../program-kinds.ts';
import type { AuthMethod, Setting } from '../session/model.ts';
import { sanitiseLine } from './sanitise.ts';

/** A choice for the user; what is taken sends its operation back to us. */
export interface Picker {
  readonly prompt: string;
  /** What kind of choice it is, for those who replace vim.ui.select. */
  readonly kind: string;
  readonly items: readonly PickerItem[];
  /** What we are told when nothing is taken. */
  readonly closed?: Omit<PickerItem, 'label'>;
  /** It belongs to a question of the agent: no other is asked meanwhile. */
  readonly isQuestion?: true;
  /** What is chosen has consequences: a key typed before it opened must not choose. */
  readonly isGuarded?: true;
}

export interface PickerItem {
  readonly label: string;
  /** Absent: nothing happens. */
  readonly op?: string;
  readonly payload?: object;
}

const current = '●';
const other = ' ';

/** What a setting can be set to, the present value marked. */
export function settingPicker(chat: number, setting: Setting): Picker {
  const choices =
    setting.choices.length > 0
      ? setting.choices.map(({ value, name, description, group }) => ({
          value,
          text: [group === undefined ? name : `${group}: ${name}`, description].filter(Boolean).join(' — '),
        }))
      : [
          { value: true, text: 'on' },
          { value: false, text: 'off' },
        ];
  const items = choices.map(({ value, text }) => ({
    label: `${value === setting.current ? current : other} ${sanitiseLine(text)}`,
    op: 'setting.change',
    payload: { chat, setting: setting.id, value },
  }));
  return { prompt: sanitiseLine(setting.name), kind: 'acp.setting', items };
}

/** Everything that can be set, with what it is set to. */
export function settingsPicker(chat: number, settings: readonly Setting[]): Picker {
  const items = settings.map((setting) => ({
    label: `${sanitiseLine(setting.name)}: ${sanitiseLine(valueName(setting))}`,
    op: 'setting.show',
    payload: { chat, setting: setting.id },
  }));
  return { prompt: 'Settings', kind: 'acp.setting', items };
}

/** The ways to log in. */
export function loginPicker(chat: number, agent: string, methods: readonly AuthMethod[]): Picker {
  const items = methods.map(({ id, name, description }) => ({
    label: sanitiseLine([name, description].filter(Boolean).join(' — ')),
    op: 'login.start',
    payload: { chat, method: id },
  }));
  return { prompt: `Log in to ${sanitiseLine(agent)}`, kind: 'acp.login', items };
}

/** Whether a login may run its command, which is shown whole. */
export function loginRunPicker(
  payload: { readonly chat: number; readonly run: number },
  agent: string,
  { command, env, isOther }: AuthMethod & { kind: 'terminal' },
): Picker {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  const words = sanitiseLine([...variables, ...command.map(quoted)].join(' '));
  const note = isOther ? ', which is not the program you configured' : '';
  return {
    prompt: `To log in to ${sanitiseLine(agent)}, run in a terminal${note}: ${words}`,
    kind: 'acp.login',
    isGuarded: true,
    items: [{ label: 'Run it', op: 'login.confirm', payload }, { label: 'Cancel' }],
  };
}

/** Whether an agent of the registry may be fetched and run; the summary is all that will be done. */
export function consentPicker(
  agent: { readonly name: string; readonly version: string; readonly origin: string },
  consent: { readonly summary: string },
): Picker {
  const name = sanitiseLine(`${agent.name} ${agent.version}`);
  const prompt = `${name} from ${sanitiseLine(agent.origin)} will ${verb(sanitiseLine(consent.summary))}`;
  return {
    prompt,
    kind: 'acp.consent',
    isGuarded: true,
    items: [{ label: 'Run it', op: 'agents.accept', payload: consent }, { label: 'Cancel' }],
  };
}

function verb(summary: string): string {
  return summary.startsWith('download ') ? summary : `run ${summary}`;
}

/** What a setting is set to, as the agent calls it. */
export function valueName({ current: value, choices }: Setting): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return choices.find((choice) => choice.value === value)?.name ?? value;
}
