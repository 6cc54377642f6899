// Formats the Lua files with StyLua and looks for syntax errors and unknown globals.
// `--check` changes nothing and fails on the first kind of trouble.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import * as stylua from '@johnnymorganz/stylua';
import luaparse from 'luaparse';

const known = new Set(
  (
    'vim require pairs ipairs next type tostring tonumber error assert pcall xpcall select unpack rawget rawset ' +
    'rawequal setmetatable getmetatable print string table math os io debug coroutine package jit bit loadfile ' +
    'loadstring load dofile _G arg'
  ).split(' '),
);
const isCheck = process.argv.includes('--check');
const toml = fs.readFileSync('.stylua.toml', 'utf8');
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.lua'], { encoding: 'utf8' });
const complaints = files.split('\n').filter(Boolean).flatMap(checkFile);
for (const complaint of complaints) console.error(complaint);
process.exitCode = complaints.length > 0 ? 1 : 0;

function checkFile(file) {
  if (!fs.existsSync(file)) return [];
  const source = fs.readFileSync(file, 'utf8');
  const formatted = stylua.formatCode(source, formatConfig(toml), undefined, stylua.OutputVerification.None);
  if (formatted === source) return unknownGlobals(file, source);
  if (isCheck) return [`${file}: not formatted, run npm run format`];
  fs.writeFileSync(file, formatted);
  return unknownGlobals(file, formatted);
}

function unknownGlobals(file, source) {
  try {
    const { globals } = luaparse.parse(source, { luaVersion: 'LuaJIT', scope: true, locations: true });
    const unknown = globals.filter(({ name }) => !known.has(name));
    return unknown.map(({ name, loc }) => `${file}:${loc.start.line}: unknown global "${name}"`);
  } catch (error) {
    return [`${file}: ${error.message}`];
  }
}

// Formatting consumes its configuration, so each file gets one.
function formatConfig(toml) {
  const settings = Object.fromEntries(
    [...toml.matchAll(/^(\w+) = "?([^"\n]+)"?$/gm)].map(([, name, value]) => [name, value]),
  );
  const config = stylua.Config.new();
  config.column_width = Number(settings.column_width);
  config.indent_type = stylua.IndentType[settings.indent_type];
  config.indent_width = Number(settings.indent_width);
  config.quote_style = stylua.QuoteStyle[settings.quote_style];
  return config;
}
