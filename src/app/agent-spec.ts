import {
  anything,
  badParam,
  boolean,
  either,
  listOf,
  mapOf,
  oneOf,
  optional,
  type Parse,
  shape,
  text,
} from '../base/parse.ts';
import type { SettingWish } from '../model/settings/setting-names.ts';
import { transportKinds } from '../model/transport-kinds.ts';
import type { AgentSpec } from '../ports/agent.ts';

/** An agent as it is configured, without what the chat and the options add. */
export type ConfiguredAgent = Omit<AgentSpec, 'cwd' | 'isStrict' | 'hasProposals'>;

/** What Lua sends of an agent. Lua has checked it before and reported mistakes in the configuration. */
const agent = shape({
  name: text,
  transport: optional(oneOf(...transportKinds)),
  command: anything,
  url: optional(text),
  headers: mapOf(String),
  framing: optional(oneOf('content-length')),
  paths: mapOf(String),
  env: mapOf(String),
  install: optional(text),
  node: optional(text),
  login: optional(text),
  mcp_servers: listOf(anything),
  directories: listOf(String),
  mode: optional(text),
  model: optional(text),
  options: mapOf(either(boolean, String)),
  /** The settings that the file of the project has, such as `mode` and `options.fast`. */
  of_project: optional(listOf(text)),
});

/** Reads an agent of the configuration. */
export const agentSpec: Parse<ConfiguredAgent> = (value, field) => {
  const {
    mcp_servers,
    command,
    transport = 'stdio',
    mode,
    model,
    options,
    of_project,
    ...spec
  } = agent(value, field);
  if (transport !== 'stdio' && spec.url === undefined) throw badParam(`${field}.url`, 'a string', spec.url);
  return {
    ...spec,
    transport,
    command: transport === 'stdio' ? commandFrom(command, `${field}.command`) : [],
    mcpServers: mcp_servers,
    settings: settingsFrom((key) => sourceOf(key, spec.name, of_project), { mode, model }, options),
  };
};

function sourceOf(key: string, agentName: string, ofProject: readonly string[] = []): string {
  return ofProject.includes(key) ? `${key} in .acp.json` : `agents.${agentName}.${key}`;
}

function settingsFrom(
  source: (key: string) => string,
  categories: Readonly<Record<string, string | undefined>>,
  options: Readonly<Record<string, string | boolean>>,
): readonly SettingWish[] {
  return [
    ...Object.entries(categories).flatMap(([category, value]) =>
      value === undefined ? [] : [{ query: { category }, value, source: source(category) }],
    ),
    ...Object.entries(options).map(([id, value]) => ({
      query: { id },
      value,
      source: source(`options.${id}`),
    })),
  ];
}

function commandFrom(value: unknown, field: string): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) throw badParam(field, 'a list of words', value);
  return value.map(String);
}
