import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { nvimFor } from '../../scripts/nvim.mjs';
import { it } from '../support/nvim/it.ts';
import { repoRoot } from '../support/nvim/nvim-process.ts';

const read = (file: string) => fs.readFileSync(path.join(repoRoot, file), 'utf8');
const help = read('doc/acp.txt');
const readme = read('README.md');

/** Code blocks of a language: between fences, or in help between `>lua` and `<`. */
function codeIn(text: string, language: string): string[] {
  const fences = [...text.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))];
  const examples = [...text.matchAll(new RegExp(`>${language}\\n([^]*?)\\n<`, 'g'))];
  return [...fences, ...examples].map(([, code]) => code ?? '');
}

describe('documentation', () => {
  it('lists the options, commands, agents and highlights of the code', () => {
    const check = () =>
      execFileSync(nvimFor(process.env.ACP_TEST_NVIM ?? '0.12'), ['-l', 'scripts/docs.lua', '--check'], {
        cwd: repoRoot,
        stdio: 'pipe',
      });
    expect(check).not.toThrow();
  });

  it('has no line over 78 columns', () => {
    const long = help.split('\n').filter((line) => [...line].length > 78);
    expect(long).toEqual([]);
  });

  it('gives examples of every command, with arguments that complete', async ({ nvim }) => {
    const list = help.slice(help.indexOf('*acp-list-commands*'), help.indexOf('\n13. Keys  '));
    const entries = [...list.matchAll(/\*:(Acp\w*)\*$[\s\S]*? >vim\n([\s\S]*?)\n</gm)];
    const examples = entries.map(([, command, lines = '']) => [command, lines.trim().split(/\n */)] as const);
    expect(examples.map(([command]) => command)).toEqual(
      await nvim.lua("return vim.fn.getcompletion('Acp', 'command')"),
    );
    // A command that completes no files and has a fixed list of words offers the word of its example.
    const wrong = await nvim.lua<string[]>(
      `local wrong = {}
       vim.cmd('normal! v')
       vim.cmd('normal! ' .. vim.keycode('<Esc>'))
       for _, entry in ipairs(...) do
         local command, lines = unpack(entry)
         for _, line in ipairs(lines) do
           local ok, parsed = pcall(vim.api.nvim_parse_cmd, line, {})
           while ok and parsed.nextcmd ~= '' and parsed.cmd ~= command do
             ok, parsed = pcall(vim.api.nvim_parse_cmd, parsed.nextcmd, {})
           end
           local word = ok and parsed.args[1] and vim.split(parsed.args[1], ' ')[1]
           local offered = word and vim.fn.getcompletion(command .. ' ', 'cmdline') or {}
           local is_fixed = #offered > 0 and not vim.uv.fs_stat(offered[1])
           if not ok or parsed.cmd ~= command or (is_fixed and not vim.list_contains(offered, word)) then
             table.insert(wrong, line)
           end
         end
       end
       return wrong`,
      examples,
    );
    expect(wrong).toEqual([]);
  });

  it('lists the kinds of pickers', () => {
    const sources = ['src', 'lua'].flatMap((folder) =>
      fs
        .readdirSync(path.join(repoRoot, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.(ts|lua)$/.test(name))
        .map((name) => read(path.join(folder, name))),
    );
    const used = sources.flatMap((text) =>
      [...text.matchAll(/kind(?::| =) '(acp\.\w+)'/g)].map(([, kind]) => kind),
    );
    const listed = [...help.matchAll(/^ {4}(acp\.\w+) {2,}\S/gm)].map(([, kind]) => kind);
    expect(listed).toEqual([...new Set(used)].toSorted());
  });

  it('has no duplicate tags and no broken links', () => {
    const tags = [...help.matchAll(/\*([^*\s]+)\*(?=\s|$)/g)].map(([, tag]) => tag ?? '');
    expect(tags.length).toBe(new Set(tags).size);
    const links = [...help.matchAll(/\|(:?[Aa]cp[^|\s]*)\|/g)].map(([, link]) => link ?? '');
    expect(links.filter((link) => !tags.includes(link))).toEqual([]);
  });

  it('lists exactly the <Plug> mappings and keys that exist', async ({ start }) => {
    const nvim = await start();
    const defined = await nvim.lua<string[]>(`
      local names = {}
      for _, mode in ipairs({ 'n', 'x' }) do
        for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
          if map.lhs:find('Plug>%(acp') then names[map.lhs] = true end
        end
      end
      return vim.tbl_keys(names)`);
    const told = new Set([...`${help}${readme}`.matchAll(/<Plug>\(acp-[\w-]+\)/g)].map(([name]) => name));
    expect([...told].toSorted()).toEqual(defined.toSorted());
    const keys = await nvim.lua<Record<string, string>>("return require('acp.config').defaults().keys");
    const chapter = help.slice(help.indexOf('13. Keys  '), help.indexOf('14. Options  '));
    for (const key of Object.values(keys)) expect(chapter).toContain(key);
  });

  it('lists every function of the Lua API', async ({ nvim }) => {
    const functions = await nvim.lua<string[]>("return vim.tbl_keys(require('acp'))");
    const told = [...help.matchAll(/\*acp\.(\w+)\(\)\*/g)].map(([, name]) => name);
    expect(told.toSorted()).toEqual(functions.toSorted());
  });

  it('contains Lua that runs, and a lazy.nvim spec with mappings that exist', async ({ nvim }) => {
    const [spec = '', ...examples] = codeIn(readme, 'lua');
    const plugs = await nvim.lua<string[]>(
      `local spec = assert(loadstring('return ' .. ...))()
       return vim.tbl_map(function(key) return vim.fn.maparg(key[2], 'n') ~= '' and 'there' or vim.inspect(key) end, spec.keys)`,
      spec,
    );
    expect(new Set(plugs)).toEqual(new Set(['there']));
    // test/e2e/release.test.ts installs with vim.pack.
    const isInstall = (code: string) => code.includes('vim.pack.add');
    nvim.sandbox.write({ 'build.lua': "assert(io.open('built', 'w')):close()" });
    await nvim.lua(`
      local path = vim.fn.getcwd()
      _G.MiniDeps = { add = function(spec)
        for _, hook in ipairs({ 'post_install', 'post_checkout' }) do
          os.remove('built')
          spec.hooks[hook]({ path = path, source = spec.source, name = 'acp.nvim' })
          assert(vim.uv.fs_stat('built'), hook)
        end
      end }`);
    for (const code of [...examples, ...codeIn(help, 'lua')].filter((one) => !isInstall(one))) {
      const isSpec = code.trim().startsWith('{');
      await nvim.lua(`assert(loadstring(...))()`, isSpec ? `return ${code}` : code);
    }
    expect(await nvim.messages()).toBe('');
  });

  it('names the tests of every claim of the README', () => {
    const part = (title: string) => readme.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
    const claims = [
      ...['Try it', 'Install', 'The first five minutes', 'Agents'].map(part),
      ...part('What it looks like').split('\n**').slice(1),
      ...part('What you can rely on').split('\n- ').slice(1),
    ];
    const testsOf = (text: string) =>
      [...text.matchAll(/<!--([\s\S]*?)-->/g)].map(([, names]) => names!.trim());
    expect(claims.filter((claim) => !/test\/|npm run bench/.test(testsOf(claim).join()))).toEqual([]);
    const named = testsOf(readme).flatMap((names) => names.match(/test\/\S+/g) ?? []);
    expect(named.filter((name) => !fs.existsSync(path.join(repoRoot, name)))).toEqual([]);
    expect(fs.existsSync(path.join(repoRoot, 'test/bench/flood.ts'))).toBe(true);
  });

  it('names only commands that exist', async ({ nvim }) => {
    const commands = await nvim.lua<string[]>("return vim.fn.getcompletion('Acp', 'command')");
    const named = [...`${help}${readme}`.matchAll(/[:>](Acp[A-Z]\w*)/g)].map(([, name]) => name!);
    expect(named.filter((name) => !commands.includes(name))).toEqual([]);
  });

  it('is right that nothing is loaded, mapped or started before the first command', async ({ start }) => {
    const nvim = await start();
    const found = await nvim.lua(`
      local modules = vim.tbl_filter(function(name)
        return name == 'acp' or vim.startswith(name, 'acp.')
      end, vim.tbl_keys(package.loaded))
      local keys = {}
      for _, mode in ipairs({ 'n', 'x', 'o', 'i', 't', 'c' }) do
        for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
          local is_ours = (map.desc or ''):find('agent') or (map.rhs or ''):find('Acp')
          if is_ours and not map.lhs:find('^<Plug>') then table.insert(keys, map.lhs) end
        end
      end
      return { modules, keys, vim.api.nvim_get_proc_children(vim.fn.getpid()) }`);
    expect(found).toEqual([[], [], []]);
  });

  it('lists the agents that are built in', async ({ nvim }) => {
    const agents = await nvim.lua<string[]>(
      "return vim.tbl_map(function(preset) return preset.name end, require('acp.agents.presets'))",
    );
    const listed = [...readme.matchAll(/^\| `:AcpChat (\w+)`/gm)].map(([, name]) => name);
    expect(listed).toEqual(agents);
  });

  it('shows pictures and commands that exist', () => {
    const pictures = [...readme.matchAll(/(?:!\[[^\]]*\]\(|src(?:set)?=")([\w/.-]+\.svg)/g)].map(
      ([, file]) => file!,
    );
    for (const picture of pictures) expect(read(picture)).toContain('<svg');
    const drawn = fs.readdirSync(path.join(repoRoot, 'doc/gallery')).map((name) => `doc/gallery/${name}`);
    expect(pictures.toSorted()).toEqual(drawn.toSorted());
    const scenes = [...read('scripts/gallery/scenes.mjs').matchAll(/^ {2}(\w+): \[/gm)].map(
      ([, name]) => name!,
    );
    expect(drawn).toEqual(expect.arrayContaining(scenes.map((name) => `doc/gallery/${name}-light.svg`)));
    for (const script of ['scripts/demo', 'scripts/test']) {
      expect(readme).toContain(script);
      expect(fs.statSync(path.join(repoRoot, script)).mode & 0o111).not.toBe(0);
    }
  });
});
