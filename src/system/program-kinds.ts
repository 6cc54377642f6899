import path from 'node:path';
import { isPlainShell } from '../base/shell.ts';
import type { AgentSpec } from '../ports/agent.ts';

/** Programs that run their arguments on another machine or in a container. */
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

/** Programs that start the program in their arguments. */
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

/** Programs that run code or packages named in their arguments. */
const interpreters =
  /^(node|nodejs|deno|bun|tsx|ts-node|python|pypy|ruby|perl|php|java|dotnet|lua|luajit|R|Rscript|[gmn]?awk|tclsh|expect|julia|elixir|iex|erl|guile|scala|groovy|swift|dart|n?vim?|emacs|gdb|lldb|git|find|parallel|watch|strace|socat|su|runuser|chroot|unshare|nsenter|bwrap|firejail|flatpak|flatpak-spawn|snap|toolbox|distrobox|apptainer|singularity|tmux|screen|direnv|volta|fnm|poetry|hatch|rye|conda|mamba|micromamba|pixi|bundle|rake|composer|gradle|mvn|osascript|powershell|pwsh|cmd|busybox|make|just|sh|bash|zsh|dash|ksh|fish|npx|npm|pnpm|pnpx|yarn|yarnpkg|bunx|uv|uvx|pipx|pip|cargo|go|nix|nix-shell|mise|asdf|xargs|script|open|xdg-open|start)[\d.]*(\.exe|\.cmd)?$/i;

/** Whether a program runs what its arguments name: an interpreter, a package runner, a shell, `ssh`, `env`. */
export function runsItsArguments(program: string): boolean {
  const name = path.basename(program);
  return interpreters.test(name) || remoteShells.has(name.toLowerCase()) || starters.has(name.toLowerCase());
}

/** Whether the agent runs on another machine or in a container, while its commands and file writes happen here. */
export function isRemoteAgent({ command, transport = 'stdio', paths = {} }: AgentSpec): boolean {
  if (transport !== 'stdio' || Object.keys(paths).length > 0) return true;
  return startsRemoteShell(command);
}

function startsRemoteShell(command: readonly string[]): boolean {
  const [program = '', ...rest] = command;
  const name = path.basename(program).toLowerCase();
  if (remoteShells.has(name)) return true;
  if (starters.has(name)) return rest.some((word) => remoteShells.has(path.basename(word).toLowerCase()));
  const line = isPlainShell(program) && /^-\w*c$/.test(rest[0] ?? '') ? rest[1] : undefined;
  return line?.split(/[\s;&|()]+/).some((word) => remoteShells.has(path.basename(word))) ?? false;
}
