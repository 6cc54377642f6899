import { describe, expect, it } from 'vitest';
import { fileList } from '../../../src/prompt/file-index.ts';
import { type FileHints, searchFiles } from '../../../src/prompt/file-search.ts';

/** As in a plugin for Neovim with a host in TypeScript. */
const files = `
.editorconfig .gitignore .github/workflows/ci.yml .luarc.json CHANGELOG.md CONTRIBUTING.md LICENSE README.md
biome.json package-lock.json package.json stylua.toml tsconfig.json vitest.config.ts
doc/acp.txt doc/architecture.md doc/chat.svg ftplugin/acp.lua plugin/acp.lua
lua/acp/chat/frames.lua lua/acp/chat/history.lua lua/acp/chat/keys.lua lua/acp/chat/prompt.lua
lua/acp/chat/prompt_buffer.lua lua/acp/chats.lua lua/acp/commands/init.lua lua/acp/commands/palette.lua
lua/acp/commands/permissions.lua lua/acp/config.lua lua/acp/health.lua lua/acp/host/init.lua
lua/acp/host/requests.lua lua/acp/init.lua lua/acp/lsp/completion.lua lua/acp/lsp/init.lua
lua/acp/lsp/omnifunc.lua lua/acp/operations.lua lua/acp/review/init.lua lua/acp/templates.lua
lua/acp/ui/highlight.lua lua/acp/ui/winbar.lua
scripts/bench.mjs scripts/build.mjs scripts/docs.lua scripts/test scripts/tsconfig.json
src/acp/connection/handshake.ts src/acp/decode/capabilities.ts src/acp/decode/content.ts
src/acp/decode/update-names.ts src/acp/decode/update.ts src/acp/encode/prompt.ts
src/acp/handlers/client-methods.ts src/app/chat/chat.ts src/app/chat/review.ts src/app/host-options.ts
src/app/host.ts src/app/operations.ts src/app/prompt/completions.ts src/app/prompt/editor-context.ts
src/components/ChatWindow.tsx src/components/PromptInput.tsx src/components/index.ts
src/main.ts src/model/entries.ts src/model/prompt.ts src/nvim/editor.ts src/nvim/render-loop.ts
src/ports/clock.ts src/ports/editor-operations.ts src/ports/editor.ts src/prompt/completion.ts
src/prompt/file-index.ts src/prompt/file-search.ts src/prompt/limits.ts src/prompt/mention-names.ts
src/prompt/mentions.ts src/prompt/resolve.ts src/session/journal/reader.ts src/session/journal/writer.ts
src/session/reducer/reducer.ts src/session/turns.ts src/system/find-program.ts src/system/replace-file.ts
src/tour/commands/plan.ts src/tour/prompt.ts src/view/sanitise.ts src/view/status.ts
src/view/transcript/entries.ts src/view/transcript/transcript.ts
test/bench/main.ts test/nvim/completion.test.ts test/nvim/mentions.test.ts test/nvim/prompt.test.ts
test/nvim/review-random.test.ts test/support/nvim/nvim.ts test/unit/nvim/render-loop.test.ts
test/unit/prompt/completion.test.ts test/unit/prompt/file-index.test.ts test/unit/view/status.test.ts
`
  .trim()
  .split(/\s+/);
const noHints: FileHints = { open: [], recent: [], current: undefined };

async function search(query: string, hints: Partial<FileHints> = {}): Promise<readonly string[]> {
  const found = searchFiles(await fileList(files), query, { ...noHints, ...hints }, 60);
  return found.map(({ path }) => path);
}

describe('the first file of completion', () => {
  it.each([
    ['cmpl', 'src/prompt/completion.ts'],
    ['compl', 'src/prompt/completion.ts'],
    ['complts', 'src/prompt/completion.ts'],
    ['compllua', 'lua/acp/lsp/completion.lua'],
    ['omni', 'lua/acp/lsp/omnifunc.lua'],
    ['mentions', 'src/prompt/mentions.ts'],
    ['mentest', 'test/nvim/mentions.test.ts'],
    ['mn', 'src/prompt/mention-names.ts'],
    ['rl', 'src/nvim/render-loop.ts'],
    ['rloop', 'src/nvim/render-loop.ts'],
    ['rndrloop', 'src/nvim/render-loop.ts'],
    ['loop.test', 'test/unit/nvim/render-loop.test.ts'],
    ['readme', 'README.md'],
    ['README', 'README.md'],
    ['pkg', 'package.json'],
    ['lock', 'package-lock.json'],
    ['tsconf', 'tsconfig.json'],
    ['scripts/tsc', 'scripts/tsconfig.json'],
    ['chat/pro', 'lua/acp/chat/prompt.lua'],
    ['luachatpr', 'lua/acp/chat/prompt.lua'],
    ['lsp/init', 'lua/acp/lsp/init.lua'],
    ['lspinit', 'lua/acp/lsp/init.lua'],
    ['init', 'lua/acp/init.lua'],
    ['app/ops', 'src/app/operations.ts'],
    ['edop', 'src/ports/editor-operations.ts'],
    ['chatwin', 'src/components/ChatWindow.tsx'],
    ['PI', 'src/components/PromptInput.tsx'],
    ['winbar', 'lua/acp/ui/winbar.lua'],
    ['bar', 'lua/acp/ui/winbar.lua'],
    ['shake', 'src/acp/connection/handshake.ts'],
    ['status.test', 'test/unit/view/status.test.ts'],
    ['ci', '.github/workflows/ci.yml'],
    ['.luarc', '.luarc.json'],
    ['journal/', 'src/session/journal/reader.ts'],
    ['sesjourread', 'src/session/journal/reader.ts'],
    ['main', 'src/main.ts'],
  ])('for %s is %s', async (query, expected) => {
    expect((await search(query))[0]).toBe(expected);
  });

  it.each([
    ['open', { open: ['lua/acp/lsp/completion.lua'] }],
    ['used before', { recent: ['lua/acp/lsp/completion.lua'] }],
    ['near the current one', { current: 'lua/acp/lsp/init.lua' }],
  ])('is the one that is %s if others match as well', async (_, hints) => {
    expect((await search('compl', hints))[0]).toBe('lua/acp/lsp/completion.lua');
  });

  it('is not an open file that matches worse', async () => {
    expect((await search('compl', { open: ['src/tour/commands/plan.ts'] }))[0]).toBe(
      'src/prompt/completion.ts',
    );
  });
});

describe('the files of completion', () => {
  it.each([
    ['compl', /completion/],
    ['cmpl', /completion/],
    ['readme', /README/],
    ['mentions', /mention/],
  ])('for %s leave out paths that have its letters somewhere', async (query, expected) => {
    const found = await search(query);
    expect(found.filter((path) => !expected.test(path))).toEqual([]);
  });

  it('are paths with scattered letters if there is nothing better', async () => {
    expect((await search('srcvwsan'))[0]).toBe('src/view/sanitise.ts');
  });

  it('in a large folder include the shortest path of many with the same name', async () => {
    const many = Array.from({ length: 5_000 }, (_, at) => `packages/package-${at}/src/index.ts`);
    const list = await fileList([...many, 'src/zoo/index.ts']);
    expect(searchFiles(list, 'index', noHints, 5)[0]?.path).toBe('src/zoo/index.ts');
  });

  it('in a large folder include a name with the letters of the query after many other matches', async () => {
    const many = Array.from({ length: 5_000 }, (_, at) => `c/m/p/l/${at}.ts`);
    const list = await fileList([...many, 'src/prompt/completion.ts']);
    expect(searchFiles(list, 'cmpl', noHints, 5)[0]?.path).toBe('src/prompt/completion.ts');
  });
});
