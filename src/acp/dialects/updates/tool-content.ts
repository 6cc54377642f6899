import type { JsonObject } from '../../../base/record.ts';
import { isRecord } from '../../../base/record.ts';
import { pathKeys, snakeKeys } from '../keys.ts';
import {
  applyRules,
  defined,
  type RewriteRule,
  type RuleObserver,
  renameFields,
  withField,
  withMeta,
  without,
} from '../rules.ts';
import { canonicalBlock } from './content.ts';

const blockTypes = new Set<unknown>([
  'text',
  'image',
  'audio',
  'resource',
  'resource_link',
  'embedded_resource',
]);

/** Rules for the content of a tool call. */
const itemRules: readonly RewriteRule[] = [
  snakeKeys,
  {
    name: 'B: bare content block',
    applies: ({ type }) => blockTypes.has(type),
    rewrite: (block) => ({ type: 'content', content: block }),
  },
  {
    name: 'B: diff with mimeType',
    applies: ({ type, mimeType }) => type === 'diff' && mimeType !== undefined,
    rewrite: (diff) => without(diff, 'mimeType'),
  },
  {
    name: 'B: terminal with command and exitCode',
    applies: ({ type, command, exitCode }) =>
      type === 'terminal' && (command !== undefined || exitCode !== undefined),
    rewrite: canonicalTerminal,
  },
];

const diffRules: readonly RewriteRule[] = [
  pathKeys,
  renameFields({ name: 'A: diff' }, { oldContent: 'oldText', newContent: 'newText' }),
];

/** The canonical form of one content item of a tool call. */
export function canonicalToolContent(item: unknown, observer: RuleObserver): unknown {
  if (typeof item === 'string') return { type: 'content', content: canonicalBlock(item, observer) };
  if (!isRecord(item)) return item;
  const rewritten = applyRules(itemRules, item, observer);
  if (rewritten.type === 'diff') return applyRules(diffRules, rewritten, observer);
  if (rewritten.type !== 'content') return rewritten;
  return withField(rewritten, 'content', canonicalBlock(rewritten.content, observer));
}

// Kept in `_meta`, because the agent may run this terminal itself.
function canonicalTerminal(terminal: JsonObject): JsonObject {
  const { command, exitCode } = terminal;
  const run = defined({ command, exitCode });
  return withMeta(without(terminal, 'command', 'exitCode'), { 'acp.nvim/terminal': run });
}
