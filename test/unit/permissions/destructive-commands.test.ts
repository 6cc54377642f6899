import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { parseRules } from '../../../src/permissions/rule.ts';
import { aPermissionSubject } from '../../support/builders.ts';

function verdictOf(line: string, rule: string): string {
  const { rules, problems } = parseRules(rule, 'test');
  expect(problems).toEqual([]);
  return decide(aPermissionSubject({ kind: 'execute', commands: [line] }), rules).verdict;
}

const programs = (text: string) => text.split(' ').map((program) => `${program} x`);
const each = (before: string, words: string) => words.split(' ').map((word) => `${before} ${word} x`);

/** Every word of the list counts, not only one of each line. */
const destructive = [
  ...each('rm', '-r -R -f -d -vr --recursive --force --dir --rec'),
  ...programs('rmdir unlink shred srm wipe trash truncate'),
  ...programs('dd mkfs mkfs.ext4 fdisk sfdisk parted wipefs mkswap blkdiscard hdparm'),
  ...['chmod', 'chown', 'chgrp'].flatMap((program) => each(program, '-R -vR --recursive')),
  ...programs('sudo doas su pkexec runuser chroot shutdown reboot halt poweroff init telinit'),
  ...programs('kill killall pkill skill crontab at batch systemctl launchctl service'),
  ...['npm', 'pnpm', 'yarn', 'bun'].flatMap((program) =>
    each(program, 'publish unpublish deprecate owner access token login adduser own'),
  ),
  ...each('npm --prefix', 'publish'),
  ...each('npm -w', 'publish'),
  ...each('npm -w a', 'publish'),
  ...each('yarn workspaces foreach', 'publish'),
  ...each('cargo', 'publish yank owner login'),
  ...each('cargo +nightly', 'publish'),
  ...each('twine', 'upload'),
  ...each('gem', 'push yank'),
  ...['gh', 'glab'].flatMap((program) => each(program, 'api release repo secret auth ssh-key workflow run')),
  ...each('gh pr', 'merge close delete create edit'),
  ...['docker', 'podman'].flatMap((program) => each(program, 'rm rmi prune kill stop push run exec down')),
  ...each('docker compose', 'down'),
  ...programs('kubectl oc helm terraform tofu pulumi aws gcloud az heroku fly flyctl vercel netlify ansible'),
  ...programs('ansible-playbook dropdb dropuser psql mysql mariadb mongo mongosh redis-cli sqlite3'),
  ...programs('ssh scp sftp rsync nc ncat netcat socat telnet ftp http https xh aria2c'),
  ...programs('iptables nft ufw ip ifconfig mount umount swapoff sysctl modprobe insmod rmmod'),
  ...programs('useradd userdel usermod groupadd passwd visudo chsh'),
  'rm a*',
  'chmod 644 a*',
];

describe('a rule with a wildcard', () => {
  it.each(destructive)('does not cover %s', (line) => {
    expect(verdictOf(line, `allow run ${line.split(' ')[0]} *`)).toBe('ask');
    expect(verdictOf(line, 'allow run *')).toBe('ask');
    expect(verdictOf(line.toUpperCase().replace(/ .*/, '') + line.replace(/^\S+/, ''), 'allow run *')).toBe(
      'ask',
    );
    expect(verdictOf(`/usr/bin/${line}`, 'allow run *')).toBe('ask');
  });

  it.each(destructive.filter((line) => !line.endsWith('*')))('covers it without the wildcard: %s', (line) => {
    expect(verdictOf(line, `allow run ${line}`)).toBe('allow');
  });

  it.each([
    'rm x',
    'rm -v x',
    'rm --verbose x',
    'rm -- x',
    'chmod 644 x',
    'chmod --reference=R x',
    'find . -name delete',
    'npm install',
    'npm ow',
    'npm run publish',
    'npm --prefix=x install publish',
    'npm test -- publish',
    'cargo build',
    'twine check x',
    'gem list',
    'gh pr view 1',
    'gh issue list',
    'docker ps',
    'docker images',
  ])('covers what is not destructive: %s', (line) => {
    expect(verdictOf(line, `allow run ${line.split(' ')[0]} *`)).toBe('allow');
    expect(verdictOf(line, 'allow run *')).toBe('allow');
  });
});

describe('a rule that names no program, for the words of another one,', () => {
  it.each([
    ...programs('dd doas killall mkfs pkill reboot shred shutdown sudo unlink').map(
      (line) => `flock f ${line}`,
    ),
    'flock f /bin/SUDO x',
    "watch 'a;sudo x'",
    'flock f rm -r x',
    'flock f npm publish',
    'flock f curl -o a x',
    'flock f wget -x a',
    'flock f wget https://a.org',
    'flock f http -d x',
  ])('does not cover a destructive command: %s', (line) => {
    expect(verdictOf(line, 'allow run *')).toBe('ask');
    expect(verdictOf(line, 'allow run flock *\nallow run watch *')).toBe('allow');
  });

  it.each([
    'flock f init x',
    'flock f kill x',
    'flock f rm x',
    'flock f curl x',
    'flock f curl -s https://a.org',
    'flock f wget x',
    'flock f wget -qO- https://a.org',
    'flock f http x',
    'flock f npm test',
  ])('covers others: %s', (line) => expect(verdictOf(line, 'allow run *')).toBe('allow'));
});
