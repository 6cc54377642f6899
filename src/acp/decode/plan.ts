import { isRecord, type JsonObject, lookUp } from '../../base/record.ts';
import type { PlanItem } from '../../model/entries.ts';
import type { AgentEvent } from '../../model/session-events.ts';
import { contentText } from './content.ts';
import { asLabel, asString, mapList } from './fields.ts';

const statuses: Readonly<Record<string, PlanItem['status']>> = {
  pending: 'pending',
  in_progress: 'running',
  completed: 'done',
};

/** A plan is stored and drawn whole with every change of it. */
const maxItems = 1_000;

/** Decodes a `plan`, which replaces the current one. */
export function decodePlan({ entries }: JsonObject): AgentEvent | undefined {
  return Array.isArray(entries) ? { kind: 'plan', items: decodeItems(entries, decodePlanItem) } : undefined;
}

function decodeItems(entries: unknown, decode: (item: unknown) => PlanItem | undefined): readonly PlanItem[] {
  if (!Array.isArray(entries) || entries.length <= maxItems) return mapList(entries, decode);
  const rest: PlanItem = { text: `… ${entries.length - maxItems} more`, status: 'pending' };
  return [...mapList(entries.slice(0, maxItems), decode), rest];
}

/** Decodes a `plan_update`: one of several plans, as items, Markdown, or the URI of a file. */
export function decodePlanUpdate({ plan }: JsonObject): AgentEvent | undefined {
  const planId = isRecord(plan) ? asString(plan.planId) : undefined;
  if (!isRecord(plan) || planId === undefined) return undefined;
  switch (plan.type) {
    case 'items':
      return { kind: 'plan', planId, items: decodeItems(plan.entries, decodePlanItem) };
    case 'markdown':
      return { kind: 'plan', planId, items: [], text: asString(plan.content) ?? '' };
    case 'file':
      return { kind: 'plan', planId, items: [], text: asString(plan.uri) ?? '' };
    default:
      return undefined;
  }
}

export function decodePlanRemoval(update: JsonObject): AgentEvent | undefined {
  const planId = asString(update.planId);
  return planId === undefined ? undefined : { kind: 'plan', planId, items: [] };
}

const todoStatuses: Readonly<Record<string, PlanItem['status']>> = {
  ...statuses,
  not_started: 'pending',
  running: 'running',
  done: 'done',
};

/** Decodes the todo list of a tool call from its arguments or from JSON in its content. */
export function decodeTodos({ rawInput, content }: JsonObject): readonly PlanItem[] | undefined {
  const given = isRecord(rawInput) ? decodeTodoList(rawInput.todos) : undefined;
  return given ?? decodeTodoList(parseJsonContent(content));
}

// Every item must be a todo; otherwise it is some other list.
function decodeTodoList(list: unknown): readonly PlanItem[] | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const active = list.filter((item) => !isRecord(item) || item.status !== 'cancelled');
  const items = decodeItems(active, decodeTodo);
  return items.length >= Math.min(active.length, maxItems) ? items : undefined;
}

function decodeTodo(item: unknown): PlanItem | undefined {
  if (!isRecord(item)) return undefined;
  const text = asLabel(item.content) ?? asLabel(item.title);
  const status = lookUp(todoStatuses, item.status);
  return text === undefined || status === undefined ? undefined : { text, status };
}

const maxTodoText = 100_000;

function parseJsonContent(content: unknown): unknown {
  const [first, ...others] = Array.isArray(content) ? content : [];
  const text = isRecord(first) && others.length === 0 ? contentText(first.content) : '';
  if (!text.startsWith('[') || text.length > maxTodoText || !text.includes('"status"')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function decodePlanItem(item: unknown): PlanItem | undefined {
  const text = isRecord(item) ? asLabel(item.content) : undefined;
  if (!isRecord(item) || text === undefined) return undefined;
  return { text, status: lookUp(statuses, item.status) ?? 'pending' };
}
