import path from 'node:path';
import type { AgentSpec } from './ports/agent.ts';

/** Programs that run the words behind them on another machine or in a container. */
const remoteShells = new Set([
  'ssh',
  'autossh',
  'mosh',
  'plink',
  'sshpass',
  'docker',
  'podman',
  'nerdctl',
  'kubectl',
  'devcontainer',
]);

/** Programs that only start the program behind them. */
const starters = new Set(['env', 'nice', 'nohup', 'setsid', 'stdbuf', 'sudo', 'doas', 'timeout', 'exec']);

/** Programs that run any code or package that the words behind them name. */
const interpreters =
  /^(node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|pypy[\d.]*|ruby|perl|php|java|dotnet|lua(jit)?|Rscript|osascript|powershell|pwsh|cmd|busybox|make|just|sh|bash|zsh|dash|ksh|fish|npx|npm|pnpm|pnpx|yarn|yarnpkg|bunx|uv|uvx|pipx|pip|cargo|go|nix|nix-shell|mise|asdf|xargs|script|open|start)(\.exe|\.cmd)?$/i;

/** A program that runs whatever its arguments name: an interpreter, a package runner, a shell, `ssh`, `env`. */
export function runsItsArguments(program: string): boolean {
  const name = path.basename(program);
  return interpreters.test(name) || remoteShells.has(name.toLowerCase()) || starters.has(name.toLowerCase());
}

/** Shells where they are installed, and no other program that only has such a name. */
export function isPlainShell(command: string): boolean {
  return /^(\/bin\/|\/usr\/bin\/|\/usr\/local\/bin\/)?(sh|bash|zsh|dash|ksh|fish)$/.test(command);
}

/** A word as a shell would have to be given it. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Whether the agent works on another machine or in a container: what it does through us happens on this machine. */
export function isElsewhere({ command, transport = 'stdio', paths = {} }: AgentSpec): boolean {
  if (transport !== 'stdio' || Object.keys(paths).length > 0) return true;
  return leadsElsewhere(command);
}

function leadsElsewhere(command: readonly string[]): boolean {
  const [program = '', ...rest] = command;
  const name = path.basename(program).toLowerCase();
  if (remoteShells.has(name)) return true;
  if (starters.has(name)) return rest.some((word) => remoteShells.has(path.basename(word).toLowerCase()));
  const line = isPlainShell(program) && /^-\w*c$/.test(rest[0] ?? '') ? rest[1] : undefined;
  return line?.split(/[\s;&|()]+/).some((word) => remoteShells.has(path.basename(word))) ?? false;
}
