import path from 'node:path';

interface DestructiveCommand {
  readonly program: RegExp;
  /** The words that make it destructive; absent: it always is. */
  readonly words?: (args: readonly string[]) => boolean;
  /** For the help, as the user would type it. */
  readonly shown: string;
}

/** Whether one of the arguments is this option, alone or among letters such as `-rf`. */
function hasOption(args: readonly string[], letters: string, ...long: readonly string[]): boolean {
  return args.some(
    (arg) =>
      long.some((name) => arg === name || arg.startsWith(`${name}=`)) ||
      (/^-[A-Za-z0-9]+$/.test(arg) && [...letters].some((letter) => arg.includes(letter))),
  );
}

/** The first argument that is not an option, and those after it. */
function action(args: readonly string[]): readonly string[] {
  const at = args.findIndex((arg) => !arg.startsWith('-'));
  return at === -1 ? [] : args.slice(at);
}

function isGit(
  args: readonly string[],
  name: string,
  test: (rest: readonly string[]) => boolean = () => true,
) {
  // `git -C folder push -f`: the value of an option may look like the action.
  const at = args.indexOf(name);
  return at !== -1 && test(args.slice(at + 1));
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
    words: (args) =>
      isGit(args, 'push') ||
      isGit(args, 'reset', (rest) => rest.some((arg) => /^--(hard|merge|keep)$/.test(arg))) ||
      isGit(args, 'clean') ||
      isGit(
        args,
        'checkout',
        (rest) => hasOption(rest, 'fB', '--force') || rest.includes('--') || rest.includes('.'),
      ) ||
      isGit(args, 'switch', (rest) =>
        hasOption(rest, 'fC', '--force', '--discard-changes', '--force-create'),
      ) ||
      isGit(args, 'restore') ||
      isGit(args, 'branch', (rest) => hasOption(rest, 'DMCf', '--delete', '--force')) ||
      isGit(args, 'tag', (rest) => hasOption(rest, 'df', '--delete', '--force')) ||
      isGit(args, 'stash', (rest) => /^(drop|clear|pop)$/.test(action(rest)[0] ?? '')) ||
      isGit(args, 'rebase') ||
      isGit(args, 'filter-branch') ||
      isGit(args, 'filter-repo') ||
      isGit(args, 'update-ref') ||
      isGit(args, 'reflog', (rest) => /^(expire|delete)$/.test(action(rest)[0] ?? '')) ||
      isGit(args, 'gc', (rest) => rest.some((arg) => arg.startsWith('--prune'))) ||
      isGit(args, 'rm') ||
      isGit(args, 'worktree', (rest) => action(rest)[0] === 'remove') ||
      isGit(args, 'remote', (rest) => /^(add|set-url|remove|rm)$/.test(action(rest)[0] ?? '')) ||
      isGit(args, 'config') ||
      args.some((arg) => /^(-c|--config-env|--exec-path|--upload-pack|--receive-pack)(=|$)/.test(arg)),
    shown:
      'git push, reset --hard, clean, checkout -f, checkout --, switch -f, restore, branch -D, tag -d, stash drop, rebase, filter-branch, update-ref, reflog expire, gc --prune, rm, worktree remove, remote set-url, config, git -c',
  },
  {
    program: /^(npm|pnpm|yarn|bun)$/,
    words: (args) =>
      /^(publish|unpublish|deprecate|owner|access|token|login|adduser)$/.test(action(args)[0] ?? ''),
    shown: 'npm publish, npm unpublish, npm token',
  },
  {
    program: /^cargo$/,
    words: (args) => /^(publish|yank|owner|login)$/.test(action(args)[0] ?? ''),
    shown: 'cargo publish',
  },
  {
    program: /^(twine|gem)$/,
    words: (args) => /^(upload|push|yank)$/.test(action(args)[0] ?? ''),
    shown: 'twine upload, gem push',
  },
  {
    program: /^(gh|glab)$/,
    words: (args) =>
      /^(api|release|repo|secret|auth|ssh-key|workflow|run)$/.test(action(args)[0] ?? '') ||
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
    program: /^(curl|wget|http|https|aria2c)$/,
    words: (args) =>
      hasOption(
        args,
        'XdFToOuK',
        '--request',
        '--data',
        '--data-raw',
        '--data-binary',
        '--form',
        '--upload-file',
        '--output',
        '--remote-name',
        '--config',
        '--post-data',
        '--post-file',
        '--method',
        '--body-file',
        '--output-document',
      ),
    shown: 'curl -X, curl -d, curl -o, wget -O',
  },
  {
    program: /^(iptables|nft|ufw|ip|ifconfig|mount|umount|swapoff|sysctl|modprobe|insmod|rmmod)$/,
    shown: 'iptables, ip, mount, sysctl',
  },
  { program: /^(useradd|userdel|usermod|groupadd|passwd|visudo|chsh)$/, shown: 'useradd, userdel, passwd' },
];

/** Whether a command is one of the list, by its program and arguments. */
export function isDestructive([program = '', ...args]: readonly string[]): boolean {
  const name = path.basename(program);
  return destructiveCommands.some((each) => each.program.test(name) && (each.words?.(args) ?? true));
}

/**
 * Whether a later word begins a command of the list, also within a word: `flock f rm -rf x`, `watch 'git push'`. Names
 * such as `init`, which are words of other programs too, do not count.
 */
export function hidesDestructive(words: readonly string[]): boolean {
  const tokens = words.flatMap((word) => word.split(/[\s;&|()`'"]+/)).filter((token) => token !== '');
  return tokens.some((token, at) => {
    const name = path.basename(token);
    const rest = tokens.slice(at + 1);
    return destructiveCommands.some(({ program, words: test }) =>
      program.test(name) ? (test?.(rest) ?? unmistakable.has(name)) : false,
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
  const name = path.basename(program);
  return destructiveCommands.some((each) => each.program.test(name));
}
