import type { AgentIdentity } from '../../model/agent.ts';
import type { NoticeEvent } from '../../model/session-events.ts';
import type { AgentSpec } from '../../ports/agent.ts';
import { findNodeVersion, isOlderVersion } from '../../system/node-version.ts';

/** Reports that an agent runs on a Node for which npm installs only an old release of it. */
export async function oldNodeNotice(
  { node: needed, cwd, env, install }: AgentSpec,
  identity: Promise<AgentIdentity>,
): Promise<NoticeEvent | undefined> {
  if (needed === undefined) return undefined;
  const [found, { title, version = '' }] = await Promise.all([findNodeVersion(cwd, env), identity]);
  if (found === undefined || !isOlderVersion(found, needed)) return undefined;
  const how = install === undefined ? '' : `, then run "${install}" with it`;
  return {
    kind: 'notice',
    severity: 'info',
    title: `${[title, version].join(' ').trim()} runs on Node ${found}; its current releases need Node ${needed}.`,
    detail: ['npm on an older Node installs an old release without a word.'],
    hint: `Install Node ${needed} or newer${how}. :checkhealth acp has more.`,
  };
}
