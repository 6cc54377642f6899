import { absolutePath } from '../../base/paths.ts';
import type { AgentAction } from '../../ports/permissions.ts';

type Trial = Pick<AgentAction, 'kind' | 'commands' | 'paths' | 'urls' | 'tool'>;

const nothing = { commands: [], paths: [], urls: [] };
const fileKinds: ReadonlySet<string> = new Set(['read', 'edit', 'delete', 'move', 'search']);

/**
 * What the user wants to try: `edit src/a.ts`, `fetch example.org` and `tool mcp__files__read` as in a rule, and anything
 * else is a command, which may follow `run`.
 */
export function trialOf(what: string, cwd: string): Trial {
  const [, kind = '', rest = ''] = /^\s*(\w+)\s+(.*?)\s*$/s.exec(what) ?? [];
  if (fileKinds.has(kind)) {
    const paths = [absolutePath(rest, cwd)];
    return { ...nothing, kind: kind as AgentAction['kind'], paths };
  }
  if (kind === 'fetch') return { ...nothing, kind, urls: [rest.includes('://') ? rest : `https://${rest}`] };
  if (kind === 'tool') return { ...nothing, kind: 'other', tool: rest };
  return { ...nothing, kind: 'execute', commands: [kind === 'run' ? rest : what] };
}
