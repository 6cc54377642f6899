import { isRecord } from '../../base.ts';
import { blockFrom } from './content.ts';
import { pathKeys, snakeKeys } from './keys.ts';
import {
  applyRules,
  defined,
  type Rule,
  renaming,
  type Wire,
  type Witness,
  withField,
  withMeta,
  without,
} from './rules.ts';

const blockTypes = new Set<unknown>([
  'text',
  'image',
  'audio',
  'resource',
  'resource_link',
  'embedded_resource',
]);

/** Rules for the content of a tool call. */
const itemRules: readonly Rule[] = [
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
    rewrite: terminalFrom,
  },
];

const diffRules: readonly Rule[] = [
  pathKeys,
  renaming({ name: 'A: diff' }, { oldContent: 'oldText', newContent: 'newText' }),
];

/** The canonical form of one thing a tool call shows. */
export function toolContentFrom(item: unknown, witness: Witness): unknown {
  if (typeof item === 'string') return { type: 'content', content: blockFrom(item, witness) };
  if (!isRecord(item)) return item;
  const rewritten = applyRules(itemRules, item, witness);
  if (rewritten.type === 'diff') return applyRules(diffRules, rewritten, witness);
  if (rewritten.type !== 'content') return rewritten;
  return withField(rewritten, 'content', blockFrom(rewritten.content, witness));
}

// Worth keeping, because the terminal may be one the agent runs itself.
function terminalFrom(terminal: Wire): Wire {
  const { command, exitCode } = terminal;
  const run = defined({ command, exitCode });
  return withMeta(without(terminal, 'command', 'exitCode'), { 'acp.nvim/terminal': run });
}
