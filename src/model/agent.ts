/** A setting of a session that the agent offers: its mode, its model, or an option of its own. */
export interface Setting {
  readonly id: string;
  readonly name: string;
  readonly category: string | undefined;
  readonly current: string | boolean;
  /** Empty for a setting that is on or off. */
  readonly choices: readonly SettingChoice[];
  /** Which request changes it: the session options, or the older requests for modes and models. */
  readonly source: 'option' | 'mode' | 'model';
}

export interface SettingChoice {
  readonly value: string;
  readonly name: string;
  readonly description: string | undefined;
  readonly group: string | undefined;
}

export interface SlashCommand {
  readonly name: string;
  readonly description: string;
  readonly hint: string | undefined;
}

export interface Usage {
  readonly used: number;
  readonly size: number;
  readonly cost: { readonly amount: number; readonly currency: string } | undefined;
}

/** A way to log in: the agent handles it, or the user runs a command of the agent in a terminal. */
export type AuthMethod = {
  readonly id: string;
  readonly name: string;
  readonly description: string | undefined;
} & (
  | {
      readonly kind: 'agent';
      /** The environment variable in which the agent expects an API key. */
      readonly variable?: string;
    }
  | {
      readonly kind: 'terminal';
      /** The program and its arguments. */
      readonly command: readonly string[];
      /** The program is not the one that the user configured. */
      readonly isOther?: true;
      /** Environment variables that the agent adds. */
      readonly env: Readonly<Record<string, string>>;
    }
);

/** What the agent declared that it supports. Absent means not supported. */
export interface AgentCapabilities {
  readonly load?: boolean;
  readonly resume?: boolean;
  readonly list?: boolean;
  readonly delete?: boolean;
  readonly close?: boolean;
  /** Copies of a session that go on by themselves. */
  readonly fork?: boolean;
  /** Titles that the user gives. */
  readonly title?: boolean;
  readonly logout?: boolean;
  /** Pictures in prompts. */
  readonly image?: boolean;
  /** Sounds in prompts. */
  readonly audio?: boolean;
  /** Texts in prompts, as resources. */
  readonly embeddedContext?: boolean;
  /** Only the texts of prompts reach its model: no resources and no links. */
  readonly textOnly?: boolean;
  readonly mcpHttp?: boolean;
  readonly mcpSse?: boolean;
  /** Additional workspace folders. */
  readonly directories?: boolean;
  /** Prompts in the middle of a turn. */
  readonly steering?: boolean;
}

export interface AgentIdentity {
  /** The key in the configuration. */
  readonly name: string;
  /** The name that is shown: the one the agent reports, or the key. */
  readonly title: string;
  /** The name that the program reports, whatever its key in the configuration. */
  readonly program?: string | undefined;
  /** The version that the program reports. */
  readonly version?: string | undefined;
  readonly authMethods?: readonly AuthMethod[];
  readonly capabilities?: AgentCapabilities;
}
