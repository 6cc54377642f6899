import { isRecord, lookUp } from '../base.ts';
import type { AgentEvent, ToolPatch } from '../session/events.ts';
import type {
  Location,
  QuestionOption,
  Role,
  Severity,
  SlashCommand,
  ToolContent,
  ToolKind,
  ToolStatus,
} from '../session/model.ts';
import { compactionChunkFrom, compactionFrom } from './compaction.ts';
import { contentLabel, contentText } from './content.ts';
import { planFrom, planRemovalFrom, planUpdateFrom, todosFrom } from './plan-updates.ts';
import { settingsFrom } from './settings.ts';
import { terminalPatchesFrom } from './terminal-meta.ts';
import { titleFrom } from './titles.ts';
import { listOf, textOf } from './wire.ts';

type Wire = Record<string, unknown>;

const roles: Readonly<Record<string, Role>> = {
  user_message_chunk: 'user',
  agent_message_chunk: 'agent',
  agent_thought_chunk: 'thought',
};

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

/** Reads the `update` of a session/update. Total: whatever comes in, an event comes out. */
export function eventFrom(update: unknown): AgentEvent {
  if (!isRecord(update)) return { kind: 'unknown', name: 'update', raw: update };
  const name = textOf(update.sessionUpdate) ?? 'update';
  const role = lookUp(roles, name);
  if (role) return chunkFrom(role, update);
  return lookUp(readers, name)?.(update) ?? { kind: 'unknown', name, raw: update };
}

const readers: Readonly<Record<string, (update: Wire) => AgentEvent | undefined>> = {
  tool_call: toolEventFrom,
  tool_call_update: toolEventFrom,
  plan: planFrom,
  plan_update: planUpdateFrom,
  plan_removed: planRemovalFrom,
  // What can't be read takes nothing back.
  available_commands_update: ({ availableCommands }) =>
    Array.isArray(availableCommands)
      ? { kind: 'commands', commands: listOf(availableCommands, commandFrom) }
      : undefined,
  current_mode_update: (update) => {
    const mode = textOf(update.currentModeId) ?? textOf(update.modeId);
    return mode === undefined ? undefined : { kind: 'mode', mode };
  },
  config_option_update: (update) => {
    const settings = settingsFrom(update);
    return settings && { kind: 'settings', settings };
  },
  session_info_update: ({ title }) => {
    const isSaid = title === null || titleFrom(title) !== undefined;
    return isSaid ? { kind: 'title', title: titleFrom(title) } : { kind: 'nothing' };
  },
  usage_update: usageFrom,
  notice: noticeFrom,
  compaction_update: compactionFrom,
  compaction_summary_chunk: compactionChunkFrom,
};

function chunkFrom(role: Role, update: Wire): AgentEvent {
  const messageId = textOf(update.messageId);
  const text = isForModel(update.content) ? '' : contentText(update.content);
  return {
    kind: 'chunk',
    role,
    text,
    ...(messageId !== undefined && { messageId }),
    ...(isWholeMessage(update._meta, text) && { isWhole: true }),
  };
}

// An empty chunk that tells what was used ends the answer of a model.
function isWholeMessage(meta: unknown, text: string): boolean {
  if (!isRecord(meta)) return false;
  return meta.qwenDiscreteMessage === true || (text === '' && isRecord(meta.usage));
}

// Some blocks tell the model what its user need not read.
function isForModel(block: unknown): boolean {
  const { audience } = isRecord(block) && isRecord(block.annotations) ? block.annotations : {};
  return Array.isArray(audience) && audience.includes('assistant') && !audience.includes('user');
}

function toolEventFrom(update: Wire): AgentEvent | undefined {
  const patch = toolPatchFrom(update);
  return patch && { kind: 'tool', patch };
}

/** Reads a tool call or an update of one; what is absent, null or not understood stays as it was. */
export function toolPatchFrom(update: unknown): ToolPatch | undefined {
  if (!isRecord(update)) return undefined;
  const toolCallId = textOf(update.toolCallId);
  if (toolCallId === undefined) return undefined;
  const kind = textOf(update.kind);
  const fields: Partial<{ -readonly [K in keyof ToolPatch]: ToolPatch[K] }> = {
    title: textOf(update.title),
    toolKind: kind === undefined ? undefined : toolKinds.has(kind as ToolKind) ? (kind as ToolKind) : 'other',
    status: lookUp(toolStatuses, update.status),
    content: Array.isArray(update.content) ? listOf(update.content, toolContentFrom) : undefined,
    terminals: terminalPatchesFrom(update._meta),
    locations: Array.isArray(update.locations) ? listOf(update.locations, locationFrom) : undefined,
    rawInput: update.rawInput ?? undefined,
    rawOutput: update.rawOutput ?? undefined,
    todos: todosFrom(update),
  };
  const known = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { toolCallId, ...Object.fromEntries(known) };
}

/** Reads the tool call of a permission request. Some agents leave its fields empty; that takes nothing back. */
export function askedToolFrom(toolCall: unknown): ToolPatch | undefined {
  if (!isRecord(toolCall)) return undefined;
  const patch = toolPatchFrom(
    Object.fromEntries(Object.entries(toolCall).filter(([, value]) => !isEmpty(value))),
  );
  const isAskedOnly = isRecord(toolCall._meta) && toolCall._meta['acp.nvim/asked'] === true;
  return patch && isAskedOnly ? { ...patch, isAskedOnly } : patch;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function toolContentFrom(content: unknown): ToolContent | undefined {
  if (!isRecord(content)) return undefined;
  switch (content.type) {
    case 'content':
      return { kind: 'text', text: contentText(content.content) };
    case 'diff':
      return {
        kind: 'diff',
        path: textOf(content.path) ?? '',
        oldText: textOf(content.oldText),
        newText: textOf(content.newText) ?? '',
      };
    case 'terminal':
      return { kind: 'terminal', terminalId: textOf(content.terminalId) ?? '' };
    case 'text':
      return { kind: 'text', text: contentText(content) };
    default:
      return { kind: 'other', label: contentLabel(content) };
  }
}

function locationFrom(location: unknown): Location | undefined {
  if (!isRecord(location)) return undefined;
  const path = textOf(location.path);
  if (path === undefined) return undefined;
  const line = typeof location.line === 'number' && location.line > 0 ? location.line : undefined;
  return { path, line };
}

function commandFrom(command: unknown): SlashCommand | undefined {
  if (!isRecord(command)) return undefined;
  const name = textOf(command.name);
  if (name === undefined) return undefined;
  const hint = isRecord(command.input) ? textOf(command.input.hint) : undefined;
  return { name, description: textOf(command.description) ?? '', hint };
}

function usageFrom({ used, size, cost }: Wire): AgentEvent | undefined {
  if (typeof used !== 'number' || typeof size !== 'number') return undefined;
  const isCost = isRecord(cost) && typeof cost.amount === 'number';
  const price = isCost ? { amount: cost.amount as number, currency: textOf(cost.currency) ?? '' } : undefined;
  return { kind: 'usage', usage: { used, size, cost: price } };
}

function noticeFrom(update: Wire): AgentEvent | undefined {
  const title = textOf(update.title);
  if (title === undefined) return undefined;
  const severity: Severity =
    update.severity === 'warning' || update.severity === 'error' ? update.severity : 'info';
  const description = textOf(update.description);
  return {
    kind: 'notice',
    severity,
    title,
    detail: description === undefined ? [] : description.split('\n'),
    isPassing: true,
  };
}

/** Reads the options of a permission request; the agent's own words, in its order. */
export function optionsFrom(options: unknown): readonly QuestionOption[] {
  return listOf(options, (option) => {
    if (!isRecord(option)) return undefined;
    const id = textOf(option.optionId);
    if (id === undefined) return undefined;
    // A kind that was only assumed is no kind: closing a picker must not choose it.
    const isAssumed = isRecord(option._meta) && option._meta['acp.nvim/kind'] !== undefined;
    const kind = (isAssumed ? 'other' : option.kind) as QuestionOption['kind'];
    return { id, name: textOf(option.name) ?? id, kind: optionKinds.has(kind) ? kind : 'other' };
  });
}
