import path from 'node:path';
import type { AgentSpec } from './ports/agent.ts';

/** Programs that run the words behind them on another machine or in a container. */
const remoteShells = new Set([
  'ssh',
  'autossh',
  'mosh',
  'slogin',
  'rsh',
  'plink',
  'sshpass',
  'docker',
  'podman',
  'nerdctl',
  'kubectl',
  'oc',
  'lxc',
  'incus',
  'limactl',
  'vagrant',
  'machinectl',
  'wsl',
  'devcontainer',
]);

/** Programs that only start the program behind them. */
const starters = new Set([
  'env',
  'nice',
  'nohup',
  'setsid',
  'stdbuf',
  'sudo',
  'doas',
  'timeout',
  'exec',
  'time',
  'ionice',
  'taskset',
  'systemd-run',
  'unbuffer',
  'caffeinate',
]);

/** Programs that run any code or package that the words behind them name. */
const interpreters =
  /^(node|nodejs|deno|bun|tsx|ts-node|python|pypy|ruby|perl|php|java|dotnet|lua|luajit|R|Rscript|[gmn]?awk|tclsh|expect|julia|elixir|iex|erl|guile|scala|groovy|swift|dart|n?vim?|emacs|gdb|lldb|git|find|parallel|watch|strace|socat|su|runuser|chroot|unshare|nsenter|bwrap|firejail|flatpak|flatpak-spawn|snap|toolbox|distrobox|apptainer|singularity|tmux|screen|direnv|volta|fnm|poetry|hatch|rye|conda|mamba|micromamba|pixi|bundle|rake|composer|gradle|mvn|osascript|powershell|pwsh|cmd|busybox|make|just|sh|bash|zsh|dash|ksh|fish|npx|npm|pnpm|pnpx|yarn|yarnpkg|bunx|uv|uvx|pipx|pip|cargo|go|nix|nix-shell|mise|asdf|xargs|script|open|xdg-open|start)[\d.]*(\.exe|\.cmd)?$/i;

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
