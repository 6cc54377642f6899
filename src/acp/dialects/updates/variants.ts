import type { JsonObject } from '../../../base/record.ts';
import { isRecord } from '../../../base/record.ts';
import { isUpdateName, type UpdateName } from '../../decode/update-names.ts';
import { snakeKeys } from '../keys.ts';
import type { Peer } from '../peer.ts';
import { applyRules, mapSame, renameFields, withField } from '../rules.ts';
import { canonicalBlock } from './content.ts';
import { canonicalPlan } from './plans.ts';
import { canonicalToolUpdate } from './tool-calls.ts';

type VariantRewrite = (update: JsonObject, sessionId: string, peer: Peer) => readonly JsonObject[];

const modeId = renameFields({ name: 'B: current_mode_update modeId' }, { modeId: 'currentModeId' });

/** The rewrites of the updates that other dialects shape differently. */
const rewrites: Readonly<Partial<Record<UpdateName, VariantRewrite>>> = {
  user_message_chunk: canonicalChunks,
  agent_message_chunk: canonicalAgentMessage,
  agent_thought_chunk: canonicalChunks,
  tool_call: (update, sessionId, peer) => [canonicalToolUpdate(update, sessionId, peer)],
  tool_call_update: (update, sessionId, peer) => [canonicalToolUpdate(update, sessionId, peer)],
  plan: (update, _, peer) => [canonicalPlan(update, peer)],
  current_mode_update: (update, _, peer) => [applyRules([modeId], update, peer)],
  compaction_update: (update, _, peer) => [
    withField(
      update,
      'summary',
      mapSame(update.summary, (block) => canonicalBlock(block, peer)),
    ),
  ],
  compaction_summary_chunk: canonicalChunks,
};

/** The canonical form of the `update` of a session/update; an unknown update is not changed. */
export function canonicalUpdates(update: JsonObject, sessionId: string, peer: Peer): readonly JsonObject[] {
  const renamed = applyRules([snakeKeys], update, peer);
  const name = renamed.sessionUpdate;
  return (isUpdateName(name) ? rewrites[name]?.(renamed, sessionId, peer) : undefined) ?? [renamed];
}

function canonicalAgentMessage(update: JsonObject, sessionId: string, peer: Peer): readonly JsonObject[] {
  peer.noteAgentMessage(sessionId);
  return canonicalChunks(update, sessionId, peer);
}

function canonicalChunks(update: JsonObject, _: string, peer: Peer): readonly JsonObject[] {
  const { content } = update;
  if (!Array.isArray(content)) return [withField(update, 'content', canonicalBlock(content, peer))];
  peer.ruleApplied({ name: 'any: content an array' });
  return content
    .map((block: unknown) => canonicalBlock(block, peer))
    .filter(isRecord)
    .map((block) => ({ ...update, content: block }));
}
