import { isRecord, lookUp } from '../../base.ts';
import { blockFrom } from './content.ts';
import { snakeKeys } from './keys.ts';
import type { Peer } from './peer.ts';
import { planFrom } from './plans.ts';
import { applyRules, mapSame, renaming, type Wire, withField } from './rules.ts';
import { toolUpdateFrom } from './tool-calls.ts';

type Variant = (update: Wire, sessionId: string, peer: Peer) => readonly Wire[];

const modeId = renaming({ name: 'B: current_mode_update modeId' }, { modeId: 'currentModeId' });

/** The `session/update` variants of v1 and what is done to each of them. */
const variants: Readonly<Record<string, Variant>> = {
  user_message_chunk: chunksFrom,
  agent_message_chunk: messageFrom,
  agent_thought_chunk: chunksFrom,
  tool_call: (update, sessionId, peer) => [toolUpdateFrom(update, sessionId, peer)],
  tool_call_update: (update, sessionId, peer) => [toolUpdateFrom(update, sessionId, peer)],
  plan: (update, _, peer) => [planFrom(update, peer)],
  available_commands_update: (update) => [update],
  current_mode_update: (update, _, peer) => [applyRules([modeId], update, peer)],
  config_option_update: (update) => [update],
  session_info_update: (update) => [update],
  usage_update: (update) => [update],
  notice: (update) => [update],
  compaction_update: (update, _, peer) => [
    withField(
      update,
      'summary',
      mapSame(update.summary, (block) => blockFrom(block, peer)),
    ),
  ],
  compaction_summary_chunk: chunksFrom,
};

export function isVariant(name: unknown): name is string {
  return lookUp(variants, name) !== undefined;
}

/** The canonical form of the `update` of a session/update; a variant of the future stays as it is. */
export function updatesFrom(update: Wire, sessionId: string, peer: Peer): readonly Wire[] {
  const renamed = applyRules([snakeKeys], update, peer);
  return lookUp(variants, renamed.sessionUpdate)?.(renamed, sessionId, peer) ?? [renamed];
}

function messageFrom(update: Wire, sessionId: string, peer: Peer): readonly Wire[] {
  peer.heardFrom(sessionId);
  return chunksFrom(update, sessionId, peer);
}

function chunksFrom(update: Wire, _: string, peer: Peer): readonly Wire[] {
  const { content } = update;
  if (!Array.isArray(content)) return [withField(update, 'content', blockFrom(content, peer))];
  peer.note({ name: 'any: content an array' });
  return content
    .map((block: unknown) => blockFrom(block, peer))
    .filter(isRecord)
    .map((block) => ({ ...update, content: block }));
}
