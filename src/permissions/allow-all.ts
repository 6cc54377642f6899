import type { Rule } from './rule.ts';

/** The last rule of a session that is set to allow everything but what is destructive, unclear or outside. */
export const allowAllRule: Rule = {
  text: 'allow everything but destructive commands',
  verdict: 'allow',
  agent: undefined,
  kind: 'any',
  pattern: '*',
  command: undefined,
  source: 'this session',
  isLimited: true,
};
