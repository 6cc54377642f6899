import path from 'node:path';

interface DestructiveCommand {
  readonly program: RegExp;
  /** The words that make it destructive; absent: it always is. */
  readonly words?: (args: readonly string[]) => boolean;
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

function isGit(
  args: readonly string[],
  name: string,
  test: (rest: readonly string[]) => boolean = () => true,
) {
  // `git -C folder push -f`: the value of an option may look like the action.
  const at = args.indexOf(name);
  return at !== -1 && test(args.slice(at + 1));
}

/** Options of curl and wget. */
const sendingOptions = [
  '--request',
  '--data',
  '--json',
  '--form',
  '--upload-file',
  '--config',
  '--post-data',
  '--post-file',
  '--method',
  '--body-file',
  '--execute',
  '--use-askpass',
];
const writingOptions = [
  '--output',
  '--output-document',
  '--output-file',
  '--append-output',
  '--remote-name',
  '--remote-name-all',
  '--cookie-jar',
  '--save-cookies',
  '--dump-header',
  '--directory-prefix',
];

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
      isGit(args, 'reset', (rest) => hasOption(rest, '', '--hard', '--merge', '--keep')) ||
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
      isGit(args, 'stash', (rest) => isAction(rest, 'drop', 'clear', 'pop')) ||
      isGit(args, 'rebase') ||
      isGit(args, 'filter-branch') ||
      isGit(args, 'filter-repo') ||
      isGit(args, 'update-ref') ||
      isGit(args, 'reflog', (rest) => isAction(rest, 'expire', 'delete')) ||
      isGit(args, 'gc', (rest) => hasOption(rest, '', '--prune')) ||
      isGit(args, 'rm') ||
      isGit(args, 'worktree', (rest) => isAction(rest, 'remove')) ||
      isGit(args, 'remote', (rest) => isAction(rest, 'add', 'set-url', 'remove', 'rm')) ||
      isGit(args, 'config') ||
      isGit(args, 'bisect', (rest) => isAction(rest, 'run')) ||
      isGit(args, 'submodule', (rest) => isAction(rest, 'foreach', 'deinit')) ||
      /^(send-pack|prune|checkout-index|read-tree|fast-import|credential|maintenance|difftool|mergetool|daemon|hook)$/.test(
        actions(args).at(-1) ?? '',
      ) ||
      args.some((arg) => /^(-c|--config-env|--exec-path|--git-dir|--work-tree)(=|$)/.test(arg)),
    shown:
      'git push, reset --hard, clean, checkout -f, checkout --, switch -f, restore, branch -D, tag -d, stash drop, rebase, filter-branch, update-ref, reflog expire, gc --prune, prune, rm, worktree remove, remote set-url, config, bisect run, submodule foreach, difftool, credential, git -c, git --git-dir',
  },
  {
    // They run programs, or read and write any file.
    program: /^git$/,
    words: (args) =>
      hasOption(
        args,
        '',
        '--output',
        '--output-directory',
        '--ext-diff',
        '--no-index',
        '--open-files-in-pager',
        '--upload-pack',
        '--receive-pack',
        '--exec',
        '--extcmd',
        '--contents',
      ) ||
      args.some((arg) => /^-(?![GSLUCMBX])[A-Za-z]*O/.test(arg) || arg.includes('ext::')) ||
      (/^(archive|format-patch|bundle)$/.test(actions(args).at(-1) ?? '') && hasOption(args, 'o')) ||
      isGit(args, 'diff', (rest) => rest.some((arg) => /^[/~]|(^|\/)\.\.(\/|$)/.test(arg))),
    shown:
      'git with --output, --ext-diff, --no-index, -O, --open-files-in-pager, --upload-pack, --exec; git diff with a path that is absolute or leads up',
  },
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
    program: /^(curl|wget|http|https|aria2c)$/,
    words: (args) =>
      hasOption(args, 'XdFToOuKcD', ...sendingOptions, ...writingOptions) ||
      args.some((arg) => /^--(data|form|output|post|trace)/.test(arg)),
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
  const name = path.basename(program).toLowerCase();
  return destructiveCommands.some((each) => each.program.test(name) && (each.words?.(args) ?? true));
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
  const name = path.basename(program).toLowerCase();
  return destructiveCommands.some((each) => each.program.test(name));
}
