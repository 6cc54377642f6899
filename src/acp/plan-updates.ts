import { isRecord, lookUp } from '../base.ts';
import type { AgentEvent } from '../session/events.ts';
import type { PlanItem } from '../session/model.ts';
import { contentText } from './content.ts';
import { listOf, textOf } from './wire.ts';

type Wire = Record<string, unknown>;

const statuses: Readonly<Record<string, PlanItem['status']>> = {
  pending: 'pending',
  in_progress: 'running',
  completed: 'done',
};

/** Reads a `plan`, which replaces the one there was. */
export function planFrom({ entries }: Wire): AgentEvent | undefined {
  return Array.isArray(entries) ? { kind: 'plan', items: listOf(entries, itemFrom) } : undefined;
}

/** Reads a `plan_update`: one of several plans, as a list, in words, or as the address of a file. */
export function planUpdateFrom({ plan }: Wire): AgentEvent | undefined {
  const planId = isRecord(plan) ? textOf(plan.planId) : undefined;
  if (!isRecord(plan) || planId === undefined) return undefined;
  switch (plan.type) {
    case 'items':
      return { kind: 'plan', planId, items: listOf(plan.entries, itemFrom) };
    case 'markdown':
      return { kind: 'plan', planId, items: [], text: textOf(plan.content) ?? '' };
    case 'file':
      return { kind: 'plan', planId, items: [], text: textOf(plan.uri) ?? '' };
    default:
      return undefined;
  }
}

export function planRemovalFrom(update: Wire): AgentEvent | undefined {
  const planId = textOf(update.planId);
  return planId === undefined ? undefined : { kind: 'plan', planId, items: [] };
}

const todoStatuses: Readonly<Record<string, PlanItem['status']>> = {
  ...statuses,
  not_started: 'pending',
  running: 'running',
  done: 'done',
};

/** Reads the todo list that a tool call sets, from its arguments or from the JSON text that it shows. */
export function todosFrom({ rawInput, content }: Wire): readonly PlanItem[] | undefined {
  const given = isRecord(rawInput) ? todoListFrom(rawInput.todos) : undefined;
  return given ?? todoListFrom(jsonIn(content));
}

// A list counts only if every item is one, so that no other list is taken for it.
function todoListFrom(list: unknown): readonly PlanItem[] | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const wanted = list.filter((item) => !isRecord(item) || item.status !== 'cancelled');
  const items = listOf(wanted, todoFrom);
  return items.length === wanted.length ? items : undefined;
}

function todoFrom(item: unknown): PlanItem | undefined {
  if (!isRecord(item)) return undefined;
  const text = textOf(item.content) ?? textOf(item.title);
  const status = lookUp(todoStatuses, item.status);
  return text === undefined || status === undefined ? undefined : { text, status };
}

const maxTodoText = 100_000;

function jsonIn(content: unknown): unknown {
  const [first, ...others] = Array.isArray(content) ? content : [];
  const text = isRecord(first) && others.length === 0 ? contentText(first.content) : '';
  if (!text.startsWith('[') || text.length > maxTodoText || !text.includes('"status"')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function itemFrom(item: unknown): PlanItem | undefined {
  if (!isRecord(item) || typeof item.content !== 'string') return undefined;
  return { text: item.content, status: lookUp(statuses, item.status) ?? 'pending' };
}
