// Formats the Lua files with StyLua and checks them with luacheck. `--check` fails instead of formatting.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import * as stylua from '@johnnymorganz/stylua';
import { luacheck } from './luacheck.mjs';

const isCheck = process.argv.includes('--check');
const toml = fs.readFileSync('.stylua.toml', 'utf8');
const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.lua'], { encoding: 'utf8' });
const files = listed.split('\n').filter((file) => file && fs.existsSync(file));
const unformatted = files.flatMap(formatFile);
const { findings, skipped } = luacheck(files);
for (const complaint of [...unformatted, ...findings]) console.error(complaint);
if (skipped) console.error(`not checked: ${skipped}`);
process.exitCode = unformatted.length + findings.length > 0 ? 1 : 0;

function formatFile(file) {
  const source = fs.readFileSync(file, 'utf8');
  const formatted = stylua.formatCode(source, formatConfig(toml), undefined, stylua.OutputVerification.None);
  if (formatted === source) return [];
  if (isCheck) return [`${file}: not formatted, run npm run format`];
  fs.writeFileSync(file, formatted);
  return [];
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
