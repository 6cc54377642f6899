/** Rules to start from. A line `preset NAME` among the rules stands for them. */
export const presets: Readonly<
  Record<string, { readonly description: string; readonly rules: readonly string[] }>
> = {
  'read-only': {
    description: 'read and search in the folders of the session, look at the state of git',
    rules: [
      'allow read **',
      'allow search **',
      'allow think',
      'allow run ls',
      'allow run ls -la',
      'allow run pwd',
      'allow run git status',
      'allow run git status --short',
      'allow run git diff',
      'allow run git diff --stat',
      'allow run git diff --cached',
      'allow run git log --oneline',
      'allow run git branch',
      'allow run git rev-parse HEAD',
    ],
  },
  edits: {
    description: 'read-only, and change files in the folders of the session',
    rules: ['preset read-only', 'allow edit **'],
  },
  tests: {
    description: 'run tests, linters and builds',
    rules: [
      ...['npm', 'pnpm', 'yarn', 'bun'].flatMap((program) => [
        `allow run ${program} test *`,
        `allow run ${program} run test *`,
        `allow run ${program} run lint *`,
        `allow run ${program} run build *`,
      ]),
      'allow run npx tsc --noEmit *',
      'allow run npx eslint *',
      'allow run npx vitest run *',
      'allow run npx jest *',
      'allow run cargo test *',
      'allow run cargo build *',
      'allow run cargo check *',
      'allow run cargo clippy *',
      'allow run go test *',
      'allow run go build *',
      'allow run go vet *',
      'allow run pytest *',
      'allow run python -m pytest *',
      'allow run ruff check *',
      'allow run mypy *',
      'allow run make test',
      'allow run make build',
      'allow run make lint',
    ],
  },
};
