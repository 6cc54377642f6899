import { boolean, listOf, number, oneOf, type ParsedShape, shape, text } from '../base/parse.ts';
import type { HostOptions } from '../ports/options.ts';

const fields = {
  log_level: oneOf('error', 'warn', 'info', 'debug'),
  shell: text,
  strict: boolean,
  proposals: boolean,
  on_conflict: oneOf('ask', 'refuse'),
  history: boolean,
  keep: shape({ days: number, sessions: number }),
  permissions: listOf(text),
  idle_minutes: number,
  remember: listOf(oneOf('mode', 'model', 'options')),
  settings_file: text,
  models: listOf(text),
  modes: listOf(text),
  markdown: oneOf('own', 'plugin'),
  plain: boolean,
  keys: shape({ cancel: text, next_question: text, diff: text }),
  permission_files: shape({ user: text, trust: text, audit: text }),
  editor_folders: listOf(text),
};

/** Reads the options as Lua sends them. */
export function hostOptions(value: unknown, field: string): HostOptions {
  const options: ParsedShape<typeof fields> = shape(fields)(value, field);
  return {
    logLevel: options.log_level,
    shell: options.shell,
    isStrict: options.strict,
    hasProposals: options.proposals,
    onConflict: options.on_conflict,
    hasHistory: options.history,
    keep: { days: options.keep.days, count: options.keep.sessions },
    permissions: options.permissions,
    idleMinutes: options.idle_minutes,
    remembered: options.remember,
    settingsFile: options.settings_file,
    models: options.models,
    modes: options.modes,
    leavesMarkdown: options.markdown === 'plugin',
    isPlain: options.plain,
    keys: {
      cancel: options.keys.cancel,
      nextQuestion: options.keys.next_question,
      diff: options.keys.diff,
    },
    permissionFiles: options.permission_files,
    editorFolders: options.editor_folders,
  };
}
