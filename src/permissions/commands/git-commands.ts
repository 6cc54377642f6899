import { hasOnlyListed, type ListedOptions, splitOptions } from './listed-options.ts';

interface GitCommand extends ListedOptions {
  /** What else the words have to be like. */
  readonly isPlain?: (words: readonly string[], args: readonly string[]) => boolean;
}

const patch =
  'patch no-patch raw stat numstat shortstat dirstat summary name-only name-status unified color no-color color-words ' +
  'word-diff word-diff-regex minimal patience histogram diff-algorithm anchored find-renames find-copies no-renames ' +
  'ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines ignore-cr-at-eol function-context ' +
  'inter-hunk-context diff-filter relative no-relative text binary full-index abbrev exit-code quiet check cached staged ' +
  'merge-base submodule ignore-submodules pickaxe-all pickaxe-regex no-ext-diff no-textconv no-prefix compact-summary ' +
  'cc combined-all-paths ws-error-highlight color-moved no-color-moved find-object';
const choice =
  'all branches tags remotes glob exclude not reverse max-count skip since after until before author committer grep ' +
  'invert-grep all-match fixed-strings extended-regexp perl-regexp basic-regexp regexp-ignore-case merges no-merges ' +
  'min-parents max-parents first-parent follow full-history full-diff simplify-by-decoration simplify-merges dense ' +
  'sparse ancestry-path topo-order date-order author-date-order left-right left-only right-only cherry cherry-mark ' +
  'cherry-pick boundary walk-reflogs no-walk';
const look =
  'oneline graph decorate no-decorate decorate-refs format pretty abbrev-commit no-abbrev-commit date relative-date ' +
  'parents children show-signature notes no-notes source mailmap no-mailmap use-mailmap encoding expand-tabs ' +
  'no-expand-tabs diff-merges no-diff-merges count';
const log: GitCommand = {
  long: `${patch} ${choice} ${look}`,
  flags: 'pusnzwbaRiEFPcmtrgWqD0123456789',
  valued: 'nULSGMCBlI',
};
const filter =
  'contains no-contains merged no-merged points-at sort format column no-column color no-color ignore-case';

/** A name of a branch or a remote, not an address and not `from:to`. */
const isName = (word: string) => /^\w[\w./-]*$/.test(word);
const isRemote = (words: readonly string[]) => words.every(isName) && !/[./]/.test(words[0] ?? '');
const has =
  (...names: readonly string[]) =>
  ([first]: readonly string[]) =>
    first === undefined || names.includes(first);

function isNewBranch(words: readonly string[], [first = '']: readonly string[]): boolean {
  return /^--?\w/.test(first) && words.length === 1 && words.every(isName);
}

/** What only reads, or changes only the index and the history. */
const ordinary: Readonly<Record<string, GitCommand>> = {
  // What leads out of a repository is compared like any two files.
  diff: { ...log, isPlain: (words) => !words.some((word) => /^[/~]|(^|\/)\.\.(\/|$)/.test(word)) },
  log,
  show: log,
  shortlog: { long: `${choice} summary numbered email group format`, flags: 'snec' },
  reflog: { ...log, isPlain: ([first = '']) => !/^(expire|delete|drop|write)$/.test(first) },
  'rev-list': log,
  'rev-parse': {
    long:
      'abbrev-ref short verify quiet show-toplevel show-prefix show-cdup git-dir absolute-git-dir git-common-dir git-path ' +
      'is-inside-work-tree is-inside-git-dir is-bare-repository is-shallow-repository symbolic symbolic-full-name all ' +
      'branches tags remotes show-superproject-working-tree show-object-format',
    flags: 'q',
  },
  'diff-tree': { ...log, long: `${log.long} root no-commit-id stdin` },
  'diff-index': log,
  'diff-files': log,
  'merge-base': { long: 'all octopus is-ancestor independent fork-point', flags: 'a' },
  blame: {
    long: 'root show-stats show-name show-number show-email line-porcelain porcelain incremental date ignore-rev since abbrev',
    flags: 'lptfnsewcb',
    valued: 'LMC',
  },
  describe: {
    long: 'all tags always dirty broken contains abbrev candidates exact-match long match exclude first-parent',
  },
  'cat-file': { long: 'batch batch-check batch-all-objects buffer unordered', flags: 'tsep' },
  'ls-files': {
    long:
      'cached deleted modified others ignored stage unmerged killed directory exclude-standard full-name error-unmatch ' +
      'abbrev eol deduplicate exclude format recurse-submodules',
    flags: 'cdmoisuktvz',
    valued: 'x',
  },
  'ls-tree': {
    long: 'name-only name-status object-only long full-name full-tree abbrev format',
    flags: 'rdtlz',
  },
  'ls-remote': {
    long: 'heads branches tags refs quiet symref exit-code get-url sort',
    flags: 'htq',
    isPlain: isRemote,
  },
  'for-each-ref': { long: `${filter} count` },
  'show-ref': { long: 'heads branches tags head verify hash dereference abbrev quiet exists', flags: 'dsq' },
  'symbolic-ref': { long: 'short quiet', flags: 'q', isPlain: (words) => words.length < 2 },
  'count-objects': { long: 'verbose human-readable', flags: 'vH' },
  'check-ignore': { long: 'verbose non-matching no-index quiet', flags: 'qvnz' },
  'name-rev': { long: 'name-only tags refs always', flags: '' },
  version: { long: 'build-options' },
  grep: {
    long:
      'cached untracked line-number count files-with-matches name-only files-without-match ignore-case word-regexp ' +
      'invert-match fixed-strings extended-regexp perl-regexp basic-regexp only-matching show-function function-context ' +
      'context before-context after-context break heading color no-color max-count max-depth recursive no-recursive text ' +
      'null column all-match and or not quiet full-name recurse-submodules threads',
    flags: 'niwvhHlLcEGPFozaIpWqr0123456789',
    valued: 'ABCem',
  },
  status: {
    long:
      'short branch show-stash porcelain long verbose untracked-files ignored ignore-submodules column no-column ' +
      'ahead-behind no-ahead-behind renames no-renames find-renames',
    flags: 'sbvz',
    valued: 'u',
  },
  branch: {
    long: `${filter} list all remotes verbose show-current abbrev no-abbrev track no-track quiet`,
    flags: 'lavrqti',
  },
  tag: { long: `${filter} list annotate message`, flags: 'la', valued: 'nm' },
  remote: { long: 'verbose all push', flags: 'v', isPlain: has('show', 'get-url') },
  // `git stash -m list` stashes everything.
  stash: { ...log, isPlain: (_, [first]) => first === 'list' || first === 'show' },
  worktree: { long: 'porcelain verbose', flags: 'v', isPlain: ([first]) => first === 'list' },
  submodule: { long: 'cached recursive quiet', flags: 'q', isPlain: has('status', 'summary') },
  add: {
    long: 'all no-all update verbose dry-run intent-to-add ignore-errors ignore-removal chmod renormalize refresh',
    flags: 'AuvnN',
  },
  commit: {
    long:
      'message all amend no-edit allow-empty author date signoff no-signoff verbose quiet dry-run short branch porcelain ' +
      'long only include fixup squash reuse-message reset-author status no-status trailer cleanup untracked-files',
    flags: 'aqvsoi',
    valued: 'mCu',
  },
  reset: { long: 'soft mixed quiet intent-to-add no-refresh', flags: 'qN' },
  fetch: {
    long:
      'all prune tags no-tags depth deepen shallow-since unshallow dry-run verbose quiet progress no-progress multiple ' +
      'no-recurse-submodules jobs append keep ipv4 ipv6 no-write-fetch-head porcelain',
    flags: 'aptvqnk46',
    valued: 'j',
    isPlain: isRemote,
  },
  // A new branch here changes no file.
  checkout: { flags: 'b', isPlain: isNewBranch },
  switch: { long: 'create', flags: 'c', isPlain: isNewBranch },
};

const replay: GitCommand = {
  long: 'no-commit continue abort quit skip signoff no-edit mainline',
  flags: 'nxs',
  valued: 'm',
};

/** What changes files too, for a rule that names it: `allow run git merge *`. */
const named: Readonly<Record<string, GitCommand>> = {
  checkout: {
    long: 'quiet detach track no-track guess no-guess progress no-progress',
    flags: 'bqt',
    // `--` stands before files, whose changes it throws away.
    isPlain: (words, args) => words.length < 3 && !words.includes('.') && !args.includes('--'),
  },
  switch: { long: 'create detach track no-track guess no-guess quiet progress no-progress', flags: 'cdqt' },
  merge: {
    long: 'ff no-ff ff-only no-commit commit squash abort continue quit message no-edit quiet verbose stat no-stat progress',
    flags: 'qvn',
    valued: 'm',
  },
  pull: {
    long: 'rebase no-rebase ff no-ff ff-only quiet verbose prune tags all autostash no-autostash progress no-edit',
    flags: 'rqvpt',
    isPlain: isRemote,
  },
  stash: {
    ...log,
    long: `${log.long} include-untracked keep-index no-keep-index staged message`,
    flags: `${log.flags}k`,
    valued: `${log.valued}m`,
    isPlain: has('push', 'save', 'apply', 'list', 'show', 'create'),
  },
  'cherry-pick': replay,
  revert: replay,
  clone: {
    long: 'depth branch single-branch no-single-branch quiet verbose progress no-tags no-checkout origin jobs bare mirror',
    flags: 'qvn',
    valued: 'bjo',
    isPlain: (words) => words.every((word) => !word.includes('::')),
  },
  init: { long: 'quiet bare initial-branch', flags: 'q', valued: 'b' },
  mv: { long: 'dry-run verbose', flags: 'nvk' },
  apply: { long: 'check stat numstat summary index cached 3way reverse verbose', flags: 'R3v', valued: 'pC' },
  am: { long: '3way abort continue skip quit signoff', flags: '3sq' },
};

const harmlessBefore = /^(-P|--no-pager|--no-optional-locks|--literal-pathspecs)$/;

/** The subcommand of git and its arguments; undefined if options that are not known stand before it. */
function subcommand(
  args: readonly string[],
): { readonly name: string; readonly rest: readonly string[] } | undefined {
  let at = 0;
  while (args[at]?.startsWith('-')) {
    if (args[at] === '-C') at += 2;
    else if (harmlessBefore.test(args[at]!)) at += 1;
    else break;
  }
  const name = args[at] ?? '';
  if (name === '--version' && at === 0) return { name: 'version', rest: args.slice(1) };
  return name === '' || name.startsWith('-') ? undefined : { name, rest: args.slice(at + 1) };
}

/**
 * Whether git only reads, or changes only the index and the history of the repository, as far as its words say. Everything
 * that is not listed does not count. `namedWords`: those of a rule, which may name a subcommand that does more.
 */
export function isOrdinaryGit(args: readonly string[], namedWords: readonly string[] = []): boolean {
  const found = subcommand(args);
  if (!found) return false;
  const { name, rest } = found;
  const commands = namedWords.includes(name) ? [ordinary, named] : [ordinary];
  return commands.some((list) => Object.hasOwn(list, name) && isCovered(rest, list[name]!));
}

function isCovered(args: readonly string[], command: GitCommand): boolean {
  return hasOnlyListed(args, command) && (command.isPlain?.(splitOptions(args).others, args) ?? true);
}

/** Subcommands that no rule with a wildcard covers at all, for a text that may hold a command of git. */
const others = new Set(
  (
    'push clean restore rebase filter-branch filter-repo update-ref gc prune rm config bisect send-pack checkout-index ' +
    'read-tree fast-import credential maintenance difftool mergetool daemon hook bundle archive format-patch update-index ' +
    'remote-ext credential-store replace notes sparse-checkout'
  ).split(' '),
);

/** Whether words after `git` in some text may be a command of git that does more. */
export function mayBeOtherGit(words: readonly string[]): boolean {
  const found = subcommand(words);
  if (!found) return words.length > 0;
  const isKnown = [ordinary, named].some((list) => Object.hasOwn(list, found.name)) || others.has(found.name);
  return isKnown && !isOrdinaryGit(words);
}

/** For the help. */
export const gitSubcommands = { ordinary: Object.keys(ordinary), named: Object.keys(named) };
