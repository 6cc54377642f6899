import { isRecord } from '../../base/record.ts';

interface QuietVariables {
  readonly names: readonly string[];
  readonly values: RegExp;
  readonly reason: string;
}

/**
 * Variables that change how a program prints, and neither which program runs nor what it does. Agents set them for all of
 * their commands. The value counts: `PAGER=sh` starts a program, and `TERM=../x` names a file.
 */
export const quietVariables: readonly QuietVariables[] = [
  { names: ['NO_COLOR', 'CLICOLOR', 'CLICOLOR_FORCE'], values: /^\w*$/, reason: 'colours' },
  { names: ['FORCE_COLOR'], values: /^(\d|true|false)?$/, reason: 'colours' },
  { names: ['TERM'], values: /^dumb$/, reason: 'a terminal that can only print' },
  { names: ['COLUMNS', 'LINES'], values: /^\d{1,5}$/, reason: 'the size of the output' },
  { names: ['CI'], values: /^(0|1|true|false)?$/, reason: 'nobody is there to answer' },
  { names: ['GIT_TERMINAL_PROMPT'], values: /^(0|false)$/, reason: 'nobody is there to answer' },
  {
    names: ['PAGER', 'GIT_PAGER', 'MANPAGER', 'GH_PAGER', 'SYSTEMD_PAGER'],
    values: /^cat$/,
    reason: 'the output is not shown page by page',
  },
  {
    names: ['CLAUDECODE', 'GEMINI_CLI', 'QWEN_CODE', 'CURSOR_AGENT', 'OPENCODE', 'CLINE_ACTIVE'],
    values: /^(1|true)$/,
    reason: 'the mark of an agent',
  },
];

export function isQuietVariable(name: string, value: string): boolean {
  return quietVariables.some(({ names, values }) => names.includes(name) && values.test(value));
}

/** The same for the text of an assignment in a shell line, such as `CI=1`; quotes are none of the values above. */
export function isQuietAssignment(text: string): boolean {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  return isQuietVariable(name, value);
}

/** The names of arguments with variables for a command. */
export const variableArgumentNames: readonly string[] = [
  'env',
  'envs',
  'environment',
  'environmentVariables',
  'environment_variables',
  'env_vars',
  'envVars',
];

/** Whether an argument sets quiet variables and nothing else: as a record, as a list of pairs or of assignments. */
export function isQuietEnvironment(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isQuietItem);
  return (
    isRecord(value) &&
    Object.entries(value).every(([name, each]) => typeof each === 'string' && isQuietVariable(name, each))
  );
}

function isQuietItem(item: unknown): boolean {
  if (typeof item === 'string') return isQuietAssignment(item);
  if (!isRecord(item) || Object.keys(item).length !== 2) return false;
  const { name, value } = item;
  return typeof name === 'string' && typeof value === 'string' && isQuietVariable(name, value);
}
