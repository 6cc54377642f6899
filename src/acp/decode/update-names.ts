/** Every `sessionUpdate` that is supported. Decoders are keyed by all of these names, dialect rules by some. */
const updateNames = [
  'user_message_chunk',
  'agent_message_chunk',
  'agent_thought_chunk',
  'tool_call',
  'tool_call_update',
  'plan',
  'plan_update',
  'plan_removed',
  'available_commands_update',
  'current_mode_update',
  'config_option_update',
  'session_info_update',
  'usage_update',
  'notice',
  'compaction_update',
  'compaction_summary_chunk',
  'subagent_update',
  'session_message',
  'session_message_chunk',
] as const;

export type UpdateName = (typeof updateNames)[number];

const names: ReadonlySet<unknown> = new Set(updateNames);

export function isUpdateName(name: unknown): name is UpdateName {
  return names.has(name);
}
