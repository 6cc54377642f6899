import path from 'node:path';
import { isOrdinaryGit, mayBeOtherGit } from './git-commands.ts';
import { isPlainCurl, isPlainWget } from './web-programs.ts';

interface DestructiveCommand {
  readonly program: RegExp;
  /** Whether these arguments make it destructive; absent: they always do. `named`: the words of the rule. */
  readonly words?: (args: readonly string[], named: readonly string[]) => boolean;
  /** The same for words after its name in some text, which may be prose; absent: the same. */
  readonly hidden?: (words: readonly string[]) => boolean;
  /** For the help, as the user would type it. */
  readonly shown: string;
}

/** Whether one of the arguments is this option: a letter, also among others as in `-rf`, or a name, also shortened. */
export function hasOption(args: readonly string[], letters: string, ...long: readonly string[]): boolean {
  return args.some((arg) => {
    const [name = ''] = arg.split('=');
    if (/^--\w/.test(name)) return long.some((each) => each.startsWith(name));
    const own = /^-([A-Za-z0-9]+)/.exec(arg)?.[1] ?? '';
    return [...letters].some((letter) => own.includes(letter));
  });
}

/** Words that another action follows. */
const nesting = /^(npm|workspace|workspaces|foreach)$/;

/** The words that may be the action: a word after an option may be its value, as in `npm --prefix x publish`. */
function actions(args: readonly string[]): readonly string[] {
  const found: string[] = [];
  for (const [at, arg] of args.entries()) {
    if (/^[-+]/.test(arg)) continue;
    found.push(arg);
    const previous = args[at - 1] ?? '';
    const mayBeValue = /^-[^=]*$/.test(previous) || nesting.test(previous);
    if (!mayBeValue && !nesting.test(arg)) break;
  }
  return found;
}

/** Whether the action is one of these, or a beginning of one, which npm and gem accept. */
function isAction(args: readonly string[], ...names: readonly string[]): boolean {
  return actions(args).some(
    (each) => names.includes(each) || (each.length > 2 && names.some((name) => name.startsWith(each))),
  );
}

/**
 * Commands that destroy work, publish it or give power away. Only a rule without wildcards covers them.
 * `doc/acp.txt` has the same list.
 */
export const destructiveCommands: readonly DestructiveCommand[] = [
  {
    program: /^rm$/,
    words: (args) => hasOption(args, 'rRfd', '--recursive', '--force', '--dir'),
    shown: 'rm -r, rm -f',
  },
  { program: /^(rmdir|unlink|shred|srm|wipe|trash)$/, shown: 'rmdir, unlink, shred' },
  { program: /^find$/, words: (args) => args.includes('-delete'), shown: 'find -delete' },
  {
    program: /^(dd|mkfs(\..+)?|fdisk|sfdisk|parted|wipefs|mkswap|blkdiscard|hdparm)$/,
    shown: 'dd, mkfs, fdisk, parted, wipefs',
  },
  { program: /^(truncate)$/, shown: 'truncate' },
  {
    program: /^(chmod|chown|chgrp)$/,
    words: (args) => hasOption(args, 'R', '--recursive'),
    shown: 'chmod -R, chown -R',
  },
  { program: /^(sudo|doas|su|pkexec|runuser|chroot)$/, shown: 'sudo, doas, su, pkexec' },
  { program: /^(shutdown|reboot|halt|poweroff|init|telinit)$/, shown: 'shutdown, reboot, halt' },
  { program: /^(kill|killall|pkill|skill)$/, shown: 'kill, killall, pkill' },
  { program: /^(crontab|at|batch|systemctl|launchctl|service)$/, shown: 'crontab, at, systemctl, launchctl' },
  {
    program: /^git$/,
    words: (args, named) => !isOrdinaryGit(args, named),
    hidden: mayBeOtherGit,
    shown: 'git with a subcommand or option that |acp-git| does not list',
  },
  { program: /^git-/, shown: 'git-upload-pack and the like' },
  {
    program: /^(npm|pnpm|yarn|bun)$/,
    words: (args) =>
      isAction(args, 'publish', 'unpublish', 'deprecate', 'owner', 'access', 'token', 'login', 'adduser'),
    shown: 'npm publish, npm unpublish, npm token',
  },
  {
    program: /^cargo$/,
    words: (args) => isAction(args, 'publish', 'yank', 'owner', 'login'),
    shown: 'cargo publish',
  },
  {
    program: /^(twine|gem)$/,
    words: (args) => isAction(args, 'upload', 'push', 'yank'),
    shown: 'twine upload, gem push',
  },
  {
    program: /^(gh|glab)$/,
    words: (args) =>
      actions(args).some((arg) => /^(api|release|repo|secret|auth|ssh-key|workflow|run)$/.test(arg)) ||
      args.some((arg) => /^(merge|close|delete|create|edit)$/.test(arg)),
    shown: 'gh api, gh pr merge, gh repo delete',
  },
  {
    program: /^(docker|podman)$/,
    words: (args) => args.some((arg) => /^(rm|rmi|prune|kill|stop|push|run|exec|down)$/.test(arg)),
    shown: 'docker rm, docker prune, docker run',
  },
  {
    program:
      /^(kubectl|oc|helm|terraform|tofu|pulumi|aws|gcloud|az|heroku|fly|flyctl|vercel|netlify|ansible|ansible-playbook)$/,
    shown: 'kubectl, helm, terraform, aws, gcloud, az',
  },
  {
    program: /^(dropdb|dropuser|psql|mysql|mariadb|mongo|mongosh|redis-cli|sqlite3)$/,
    shown: 'dropdb, psql, mysql, mongosh, redis-cli, sqlite3',
  },
  { program: /^(ssh|scp|sftp|rsync|nc|ncat|netcat|socat|telnet|ftp)$/, shown: 'ssh, scp, rsync, nc, socat' },
  {
    program: /^curl$/,
    words: (args) => !isPlainCurl(args),
    hidden: (words) => words.some((word) => word.startsWith('-')) && !isPlainCurl(words),
    shown: 'curl, unless it only prints a page',
  },
  {
    program: /^(wget|wget2)$/,
    words: (args) => !isPlainWget(args),
    hidden: (words) => words.some((word) => /^-|:\/\//.test(word)) && !isPlainWget(words),
    shown: 'wget, unless it only prints a page',
  },
  {
    program: /^(http|https|xh|aria2c)$/,
    hidden: (words) => words.some((word) => word.startsWith('-')),
    shown: 'http, https, aria2c',
  },
  {
    program: /^(iptables|nft|ufw|ip|ifconfig|mount|umount|swapoff|sysctl|modprobe|insmod|rmmod)$/,
    shown: 'iptables, ip, mount, sysctl',
  },
  { program: /^(useradd|userdel|usermod|groupadd|passwd|visudo|chsh)$/, shown: 'useradd, userdel, passwd' },
];

/** Whether a command is one of the list, by its program and arguments. `named`: the words of the rule that allows it. */
export function isDestructive(
  [program = '', ...args]: readonly string[],
  named: readonly string[] = [],
): boolean {
  const name = path.basename(program).toLowerCase();
  return destructiveCommands.some((each) => each.program.test(name) && (each.words?.(args, named) ?? true));
}

/**
 * Whether a later word begins a command of the list, also within a word: `flock f rm -rf x`, `watch 'git push'`. Names
 * such as `init`, which are words of other programs too, do not count.
 */
export function hidesDestructive(words: readonly string[]): boolean {
  const tokens = words.flatMap((word) => word.split(/[\s;&|()<>{}=!`'"]+/)).filter((token) => token !== '');
  return tokens.some((token, at) => {
    const name = path.basename(token).toLowerCase();
    const rest = tokens.slice(at + 1);
    return destructiveCommands.some(({ program, words: test, hidden = test }) =>
      program.test(name) ? (hidden?.(rest, []) ?? unmistakable.has(name)) : false,
    );
  });
}

const unmistakable = new Set([
  'dd',
  'doas',
  'killall',
  'mkfs',
  'pkill',
  'reboot',
  'shred',
  'shutdown',
  'sudo',
  'unlink',
]);

/** Whether some arguments make this program destructive. */
export function mayBeDestructive([program = '']: readonly string[]): boolean {
  const name = path.basename(program).toLowerCase();
  return destructiveCommands.some((each) => each.program.test(name));
}
