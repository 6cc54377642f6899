import { isRecord, lookUp } from '../base.ts';
import type { AgentEvent } from '../session/events.ts';
import type { PlanItem } from '../session/model.ts';
import { listOf, textOf } from './wire.ts';

type Wire = Record<string, unknown>;

const statuses: Readonly<Record<string, PlanItem['status']>> = {
  pending: 'pending',
  in_progress: 'running',
  completed: 'done',
};

/** Reads a `plan`, which replaces the one there was. */
export function planFrom({ entries }: Wire): AgentEvent {
  return { kind: 'plan', items: listOf(entries, itemFrom) };
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

function itemFrom(item: unknown): PlanItem | undefined {
  if (!isRecord(item) || typeof item.content !== 'string') return undefined;
  return { text: item.content, status: lookUp(statuses, item.status) ?? 'pending' };
}
