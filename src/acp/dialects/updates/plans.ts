import type { JsonObject } from '../../../base/record.ts';
import { isRecord } from '../../../base/record.ts';
import {
  applyRules,
  documents,
  mapSame,
  type RewriteRule,
  type RuleObserver,
  renameFields,
  withField,
} from '../rules.ts';
import { statusForAlias } from './tool-calls.ts';

/** Rules for plans. */
const planRules: readonly RewriteRule[] = [
  renameFields({ name: 'A: plan steps', implies: documents.reverseEngineered }, { steps: 'entries' }),
];

const planStatuses = ['in_progress', 'completed'];

const entryRules: readonly RewriteRule[] = [
  renameFields({ name: 'A: plan step title' }, { title: 'content' }),
  {
    name: 'A: plan step without priority',
    applies: ({ content, priority }) => content !== undefined && priority === undefined,
    rewrite: (entry) => ({ ...entry, priority: 'medium' }),
  },
  {
    name: 'D,E: status words',
    applies: ({ status }) => planStatuses.includes(statusForAlias(status) ?? ''),
    rewrite: (entry) => ({ ...entry, status: statusForAlias(entry.status) }),
  },
];

/** The canonical form of a plan. */
export function canonicalPlan(plan: JsonObject, observer: RuleObserver): JsonObject {
  const renamed = applyRules(planRules, plan, observer);
  const entries = mapSame(renamed.entries, (entry) =>
    isRecord(entry) ? applyRules(entryRules, entry, observer) : entry,
  );
  return withField(renamed, 'entries', entries);
}
