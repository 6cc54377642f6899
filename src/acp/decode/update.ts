import { isRecord, type JsonObject, lookUp } from '../../base/record.ts';
import type { SlashCommand } from '../../model/agent.ts';
import type {
  Location,
  QuestionOption,
  Role,
  Severity,
  ToolContent,
  ToolKind,
  ToolStatus,
} from '../../model/entries.ts';
import type { AgentEvent, ToolPatch } from '../../model/session-events.ts';
import { decodeCompaction, decodeCompactionChunk } from './compaction.ts';
import { contentLabel, contentText, decodeAttachment } from './content.ts';
import { asLabel, asRecord, asString, mapList } from './fields.ts';
import { decodePlan, decodePlanRemoval, decodePlanUpdate, decodeTodos } from './plan.ts';
import { asSettingValue, decodeSettings } from './settings.ts';
import { decodeTerminalPatches } from './terminal-meta.ts';
import { decodeTitle } from './titles.ts';
import { isUpdateName, type UpdateName } from './update-names.ts';

const toolKinds = new Set<ToolKind>([
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
]);

const toolStatuses: Readonly<Record<string, ToolStatus>> = {
  pending: 'pending',
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
};

const optionKinds = new Set<QuestionOption['kind']>([
  'allow_once',
  'allow_always',
  'reject_once',
  'reject_always',
]);

/** Decodes the `update` of a session/update. Never throws: an update that can't be decoded is an `unknown` event. */
export function decodeUpdate(update: unknown): AgentEvent {
  if (!isRecord(update)) return { kind: 'unknown', name: 'update', raw: update };
  const name = asString(update.sessionUpdate) ?? 'update';
  const event = isUpdateName(name) ? updateDecoders[name](update) : undefined;
  return event ?? { kind: 'unknown', name, raw: update };
}

const updateDecoders: Readonly<Record<UpdateName, (update: JsonObject) => AgentEvent | undefined>> = {
  user_message_chunk: (update) => decodeChunk('user', update),
  agent_message_chunk: (update) => decodeChunk('agent', update),
  agent_thought_chunk: (update) => decodeChunk('thought', update),
  tool_call: decodeToolEvent,
  tool_call_update: decodeToolEvent,
  plan: decodePlan,
  plan_update: decodePlanUpdate,
  plan_removed: decodePlanRemoval,
  // A list that can't be decoded does not replace the current one.
  available_commands_update: ({ availableCommands }) =>
    Array.isArray(availableCommands)
      ? { kind: 'commands', commands: mapList(availableCommands.slice(0, maxCommands), decodeCommand) }
      : undefined,
  current_mode_update: (update) => {
    const mode = asSettingValue(update.currentModeId) ?? asSettingValue(update.modeId);
    return mode === undefined ? undefined : { kind: 'mode', mode };
  },
  config_option_update: (update) => {
    const settings = decodeSettings(update);
    return settings && { kind: 'settings', settings };
  },
  session_info_update: ({ title }) => {
    const isChange = title === null || decodeTitle(title) !== undefined;
    return isChange ? { kind: 'title', title: decodeTitle(title) } : { kind: 'nothing' };
  },
  usage_update: decodeUsage,
  notice: decodeNotice,
  compaction_update: decodeCompaction,
  compaction_summary_chunk: decodeCompactionChunk,
  // The update handler gives it to the subagent's session; one without a session id is not understood.
  subagent_update: () => undefined,
  // What sessions of one agent tell each other. Sessions of subagents show what they answer.
  session_message: () => ({ kind: 'nothing' }),
  session_message_chunk: () => ({ kind: 'nothing' }),
};

function decodeChunk(role: Role, update: JsonObject): AgentEvent {
  const messageId = asString(update.messageId);
  const attachment = role === 'thought' ? undefined : decodeAttachment(update.content);
  if (attachment && !isForModel(update.content)) return { kind: 'attachment', role, attachment };
  const text = isForModel(update.content) ? '' : contentText(update.content);
  return {
    kind: 'chunk',
    role,
    text,
    ...(messageId !== undefined && { messageId }),
    ...(endsMessage(update._meta, text) && { isCompleteMessage: true }),
  };
}

// An empty chunk with usage figures ends a message.
function endsMessage(meta: unknown, text: string): boolean {
  if (!isRecord(meta)) return false;
  return meta.qwenDiscreteMessage === true || (text === '' && isRecord(meta.usage));
}

// Blocks for the audience "assistant" only are not shown to the user.
function isForModel(block: unknown): boolean {
  const { audience } = asRecord(asRecord(block).annotations);
  return Array.isArray(audience) && audience.includes('assistant') && !audience.includes('user');
}

function decodeToolEvent(update: JsonObject): AgentEvent | undefined {
  const patch = decodeToolPatch(update);
  return patch && { kind: 'tool', patch };
}

/** Decodes a tool call or a change of one. Fields that are absent, null or invalid do not change. */
export function decodeToolPatch(update: unknown): ToolPatch | undefined {
  if (!isRecord(update)) return undefined;
  const toolCallId = asString(update.toolCallId);
  if (toolCallId === undefined) return undefined;
  const kind = asString(update.kind);
  const fields: Partial<{ -readonly [K in keyof ToolPatch]: ToolPatch[K] }> = {
    title: asLabel(update.title),
    toolNames: decodeToolNames(update),
    toolKind: kind === undefined ? undefined : toolKinds.has(kind as ToolKind) ? (kind as ToolKind) : 'other',
    status: lookUp(toolStatuses, update.status),
    content: Array.isArray(update.content) ? mapList(update.content, decodeToolContent) : undefined,
    terminals: decodeTerminalPatches(update._meta),
    locations: Array.isArray(update.locations) ? mapList(update.locations, decodeLocation) : undefined,
    rawInput: update.rawInput ?? undefined,
    rawOutput: update.rawOutput ?? undefined,
    todos: decodeTodos(update),
    parent: decodeParent(update),
  };
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { toolCallId, ...Object.fromEntries(known) };
}

/** The names that an agent gives a tool: the `name` of the protocol, and what agents put into `_meta`. */
function decodeToolNames({ name, _meta }: JsonObject): readonly string[] | undefined {
  const meta = asRecord(_meta);
  const said = [name, asRecord(meta.claudeCode).toolName, meta.toolName, meta.tool_name];
  const names = new Set(said.map((each) => asString(each) ?? '').filter((each) => each !== ''));
  return names.size === 0 ? undefined : [...names];
}

/** The id of the call that started a call, for agents that report the calls of a subagent as their own. */
export function decodeParent({ _meta }: JsonObject): string | undefined {
  return asString(asRecord(asRecord(_meta).claudeCode).parentToolUseId) || undefined;
}

/** Decodes the tool call of a permission request. Empty fields, which some agents send, do not change the tool call. */
export function decodePermissionTool(toolCall: unknown): ToolPatch | undefined {
  if (!isRecord(toolCall)) return undefined;
  const patch = decodeToolPatch(
    Object.fromEntries(Object.entries(toolCall).filter(([, value]) => !isEmpty(value))),
  );
  const isAskedOnly = isRecord(toolCall._meta) && toolCall._meta['acp.nvim/asked'] === true;
  return patch && isAskedOnly ? { ...patch, isAskedOnly } : patch;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function decodeToolContent(content: unknown): ToolContent | undefined {
  if (!isRecord(content)) return undefined;
  switch (content.type) {
    case 'content': {
      const attachment = decodeAttachment(content.content);
      return attachment
        ? { kind: 'attachment', attachment }
        : { kind: 'text', text: contentText(content.content) };
    }
    case 'diff':
      return {
        kind: 'diff',
        path: asString(content.path) ?? '',
        oldText: asString(content.oldText),
        newText: asString(content.newText) ?? '',
      };
    case 'terminal':
      return { kind: 'terminal', terminalId: asString(content.terminalId) ?? '' };
    case 'text':
      return { kind: 'text', text: contentText(content) };
    default:
      return { kind: 'other', label: contentLabel(content) };
  }
}

function decodeLocation(location: unknown): Location | undefined {
  if (!isRecord(location)) return undefined;
  const path = asString(location.path);
  if (path === undefined) return undefined;
  const line = typeof location.line === 'number' && location.line > 0 ? location.line : undefined;
  return { path, line };
}

// The list is kept and searched with every key.
const maxCommands = 2_000;

function decodeCommand(command: unknown): SlashCommand | undefined {
  if (!isRecord(command)) return undefined;
  const name = asString(command.name);
  if (name === undefined) return undefined;
  const hint = isRecord(command.input) ? asLabel(command.input.hint) : undefined;
  return { name, description: asLabel(command.description) ?? '', hint };
}

function decodeUsage({ used, size, cost }: JsonObject): AgentEvent | undefined {
  if (typeof used !== 'number' || typeof size !== 'number') return undefined;
  const isCost = isRecord(cost) && typeof cost.amount === 'number';
  const price = isCost
    ? { amount: cost.amount as number, currency: asString(cost.currency) ?? '' }
    : undefined;
  return { kind: 'usage', usage: { used, size, cost: price } };
}

function decodeNotice(update: JsonObject): AgentEvent | undefined {
  const title = asLabel(update.title);
  if (title === undefined) return undefined;
  const severity: Severity =
    update.severity === 'warning' || update.severity === 'error' ? update.severity : 'info';
  const description = asLabel(update.description);
  return {
    kind: 'notice',
    severity,
    title,
    detail: description === undefined ? [] : description.split('\n'),
    isNotJournaled: true,
  };
}

/** Decodes the options of a permission request, in the agent's order. */
export function decodePermissionOptions(options: unknown): readonly QuestionOption[] {
  return mapList(options, (option) => {
    if (!isRecord(option)) return undefined;
    const id = asString(option.optionId);
    if (id === undefined) return undefined;
    // A kind that a dialect rule guessed does not count: closing the picker must not select that option.
    const isAssumed = isRecord(option._meta) && option._meta['acp.nvim/kind'] !== undefined;
    const kind = (isAssumed ? 'other' : option.kind) as QuestionOption['kind'];
    return { id, name: asLabel(option.name) ?? id, kind: optionKinds.has(kind) ? kind : 'other' };
  });
}
