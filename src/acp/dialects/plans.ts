import { isRecord } from '../../base.ts';
import { applyRules, mapSame, type Rule, renaming, type Wire, type Witness, withField } from './rules.ts';
import { statusFrom } from './tool-calls.ts';

/** Rules for plans. */
const planRules: readonly Rule[] = [renaming({ name: 'A: plan steps', tells: 'A' }, { steps: 'entries' })];

const planStatuses = ['in_progress', 'completed'];

const entryRules: readonly Rule[] = [
  renaming({ name: 'A: plan step title' }, { title: 'content' }),
  {
    name: 'A: plan step without priority',
    applies: ({ content, priority }) => content !== undefined && priority === undefined,
    rewrite: (entry) => ({ ...entry, priority: 'medium' }),
  },
  {
    name: 'D,E: status words',
    applies: ({ status }) => planStatuses.includes(statusFrom(status) ?? ''),
    rewrite: (entry) => ({ ...entry, status: statusFrom(entry.status) }),
  },
];

/** The canonical form of a plan. */
export function planFrom(plan: Wire, witness: Witness): Wire {
  const renamed = applyRules(planRules, plan, witness);
  const entries = mapSame(renamed.entries, (entry) =>
    isRecord(entry) ? applyRules(entryRules, entry, witness) : entry,
  );
  return withField(renamed, 'entries', entries);
}
