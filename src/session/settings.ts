import { asAcpError } from '../base/errors.ts';
import { settledWithin } from '../base/timeout.ts';
import type { Setting } from '../model/agent.ts';
import type { SessionState } from '../model/session.ts';
import type { SessionEvent } from '../model/session-events.ts';
import {
  matchingSettings,
  type SettingQuery,
  type SettingValue,
  type SettingWish,
  valuesWished,
} from '../model/settings/setting-names.ts';
import type { AgentLink, AgentSpec } from '../ports/agent.ts';
import type { SettingDefaults } from '../ports/setting-defaults.ts';
import {
  errorNotice,
  settingChanged,
  settingNotApplied,
  valueNotOffered,
  wishNotOffered,
} from './notices.ts';

/** An agent that does not answer a change must not keep the session from opening. */
const maxChangeMs = 10_000;
/** Some agents send their settings only after they have opened the session. */
const maxLateMs = 2_000;

/** A value that the session had. */
export type KeptSetting = Pick<Setting, 'id' | 'current'>;

interface SettingsPorts {
  readonly state: SessionState;
  readonly defaults: SettingDefaults | undefined;
  apply(event: SessionEvent): void;
  /** The running agent and the session; undefined before it is opened. */
  session(): { readonly link: AgentLink; readonly sessionId: string } | undefined;
  /** Starts the agent again if it was ended because it was idle. */
  revive(): Promise<void>;
  retryAfterLogin(retry: () => void): void;
}

/** The settings of a session: what it starts with, what the user changes, and what a restart of the agent keeps. */
export class SessionSettings {
  private readonly spec: AgentSpec;
  private readonly ports: SettingsPorts;
  /** The settings before the agent was started again. */
  private kept: readonly KeptSetting[] = [];
  /** What the user chose before the session was open. */
  private wished: readonly SettingWish[] = [];
  /** Called when the agent has sent settings. */
  private onSettings: () => void = () => undefined;
  /** The session was continued from the list of sessions: its agent knows its settings. */
  isChosen = false;

  constructor(spec: AgentSpec, ports: SettingsPorts) {
    this.spec = spec;
    this.ports = ports;
  }

  /** Changes a setting, also while a turn runs. */
  async change(settingId: string, value: SettingValue): Promise<void> {
    const { state, apply, defaults } = this.ports;
    if (state.isEndedIdle) await this.ports.revive();
    const session = this.ports.session();
    const setting = state.settings.find(({ id }) => id === settingId);
    if (!setting || !session) return;
    // The agent may have changed the choices while the user was choosing.
    if (!isOfferedValue(setting, value)) return apply(valueNotOffered(setting.name, value));
    try {
      await session.link.agent.change(session.sessionId, setting, value);
      const now = state.settings.find(({ id }) => id === settingId);
      if (now?.current === value) defaults?.remember(this.spec.name, now, value);
      // The winbar shows the mode.
      if (now && now.category !== 'mode') apply(settingChanged(now));
    } catch (error) {
      if (asAcpError(error).code === 'auth_required') {
        // It never rejects: every failure becomes a notice.
        this.ports.retryAfterLogin(() => void this.change(settingId, value));
      }
      apply(errorNotice(asAcpError(error)));
    }
  }

  /** Changes a setting as soon as the session is open. */
  wish(query: SettingQuery, value: SettingValue): void {
    this.wished = [...this.wished, { query, value, source: 'your choice' }];
  }

  /** The values of the session before the host was restarted. */
  keep(settings: readonly KeptSetting[]): void {
    this.kept = settings;
  }

  /** The agent is starting; the settings of the one before it are still known. */
  noteStart(): void {
    const { settings } = this.ports.state;
    if (settings.length > 0) this.kept = this.isChosen ? [] : settings;
    this.isChosen = false;
  }

  /** The agent has sent its settings. */
  noteSettings(): void {
    this.onSettings();
  }

  /**
   * Gives a session that was just opened the values it should have, before the first prompt is sent. Undefined if there
   * are none.
   */
  prepare(link: AgentLink, sessionId: string, isContinued: boolean): Promise<void> | undefined {
    const wishes = [
      ...(this.kept.length > 0 || isContinued ? this.keptWishes() : this.defaultWishes()),
      ...this.wished,
    ];
    const { wished } = this;
    this.kept = [];
    this.wished = [];
    return wishes.length === 0 ? undefined : this.fulfil(link, sessionId, wishes, wished);
  }

  private async fulfil(
    link: AgentLink,
    sessionId: string,
    wishes: readonly SettingWish[],
    chosen: readonly SettingWish[],
  ): Promise<void> {
    const isTooLate = AbortSignal.timeout(maxLateMs);
    for (const wish of wishes.toSorted((one, other) => rank(one) - rank(other))) {
      if (!this.match(wish).isKnown) await settledWithin(maxLateMs, this.untilKnown(wish), isTooLate);
      const found = this.match(wish);
      if (!found.isKnown) {
        this.reportUnknown(wish, found.setting);
        continue;
      }
      const { setting, value } = found;
      if (setting.current !== value) await this.set(link, sessionId, setting, value);
      if (chosen.includes(wish)) this.ports.defaults?.remember(this.spec.name, setting, value);
    }
  }

  private match(wish: SettingWish) {
    const [setting, ...otherSettings] = matchingSettings(this.ports.state.settings, wish.query);
    const [value, ...otherValues] = setting ? valuesWished(setting, wish) : [];
    const isAmbiguous = otherValues.length > 0 || (wish.query.id && otherSettings.length > 0);
    return setting && value !== undefined && !isAmbiguous
      ? ({ isKnown: true, setting, value } as const)
      : ({ isKnown: false, setting } as const);
  }

  private untilKnown(wish: SettingWish): Promise<void> {
    return new Promise((resolve) => {
      this.onSettings = () => {
        if (this.match(wish).isKnown) resolve();
      };
    });
  }

  private async set(
    link: AgentLink,
    sessionId: string,
    setting: Setting,
    value: SettingValue,
  ): Promise<void> {
    const { apply } = this.ports;
    try {
      const change = link.agent.change(sessionId, setting, value).then(() => true);
      if (!(await settledWithin(maxChangeMs, change))) {
        apply(settingNotApplied(setting.name, 'the agent did not answer'));
      }
    } catch (error) {
      apply(settingNotApplied(setting.name, asAcpError(error).message));
    }
  }

  private reportUnknown(wish: SettingWish, setting: Setting | undefined): void {
    const { state, defaults, apply } = this.ports;
    if (wish.source === undefined || defaults?.noteUnknown(this.spec.name, wish) === false) return;
    apply(wishNotOffered(state.agent.title, wish, setting ? [setting] : state.settings));
  }

  private keptWishes(): readonly SettingWish[] {
    return this.kept.map(({ id, current }) => ({ query: { id }, value: current, isExact: true }));
  }

  // What is configured counts more than what is remembered.
  private defaultWishes(): readonly SettingWish[] {
    const configured = this.spec.settings ?? [];
    const remembered = this.ports.defaults?.remembered(this.spec.name) ?? [];
    const { settings } = this.ports.state;
    const idsOf = (wish: SettingWish) => matchingSettings(settings, wish.query).map(({ id }) => id);
    const taken = new Set(configured.flatMap(idsOf));
    return [...configured, ...remembered.filter((wish) => !idsOf(wish).some((id) => taken.has(id)))];
  }
}

// The model decides which other options there are.
function rank({ query }: SettingWish): number {
  const name = query.category ?? query.id;
  return name === 'model' ? 0 : name === 'mode' ? 1 : 2;
}

function isOfferedValue({ current, choices }: Setting, value: SettingValue): boolean {
  if (typeof current === 'boolean') return typeof value === 'boolean';
  return choices.some((choice) => choice.value === value);
}
