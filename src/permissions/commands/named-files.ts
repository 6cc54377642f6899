import path from 'node:path';
import { literalPath } from '../../base/paths.ts';
import type { ShellCommand, ShellWord } from '../shell/shell.ts';

/** What is known about the folders in which a command may run. */
interface Place {
  /** The program whose words they are. */
  readonly program: string;
  readonly folders: readonly string[];
  /** The names in a folder. */
  namesIn(folder: string): readonly string[];
}

/**
 * The absolute paths that words may name in any of these folders, also after `=`, `:`, a quote or an option, such as
 * `/etc` in `--root=/etc` and `../x` in `-C../x`. Undefined: too many to tell. A program may of course open files that
 * its words do not name.
 */
export function filesNamedBy(words: readonly ShellWord[], place: Place): readonly string[] | undefined {
  const found = new Set<string>();
  for (const { text, isGlob } of words) {
    for (const folder of place.folders) {
      for (const name of [...namesInText(text), ...namesInScript(text, place)]) {
        const file = literalPath(name, folder);
        const files = isGlob && hasWildcard.test(name) ? filesLike(file, place) : [file];
        if (!files || found.size > maxFiles) return undefined;
        for (const each of files) found.add(each);
      }
    }
  }
  return [...found];
}

const maxFiles = 20_000;

/** Folders that a command changes to by an option: `make -C folder`, `tar --directory=folder`. */
export function optionFolders({ words }: ShellCommand): readonly string[] {
  const texts = words.map(({ text }) => text);
  return texts.flatMap((text, at) => {
    const [, glued] = /^-C(.+)$/s.exec(text) ?? /^--(?:directory|chdir|cwd)=(.*)$/s.exec(text) ?? [];
    if (glued !== undefined) return [glued];
    return /^(-C|--directory|--chdir|--cwd)$/.test(text) ? texts.slice(at + 1, at + 2) : [];
  });
}

/** Whether it changes to a folder that its words do not name. */
export function leavesFolder({ words }: ShellCommand): boolean {
  const [program, target] = words.map(({ text }) => text);
  if (program === 'popd') return true;
  return (program === 'cd' || program === 'pushd') && (target === undefined || /^[-+]/.test(target));
}

/** Every part of a word that may be the name of a file. */
function namesInText(text: string): ReadonlySet<string> {
  const local = withoutWebAddresses(text);
  const value = local.slice(local.indexOf('=') + 1);
  const pieces = [local, value, ...local.split(/[=:,;'"`()\s]/), ...local.split(/[^\p{L}\p{N}_./~*?[\]-]+/u)];
  const names = [...absolutePaths(local), ...pieces.flatMap(relativeNames), ...gluedNames(local)];
  return new Set(names.filter((name) => name !== ''));
}

/** Editors with commands that have the name of a file behind them, also at once: `wfile`, `s/a/b/wfile`. */
const editor = /^(g?sed|ed|red|ex|n?vim?|view|nvim)$/;

function namesInScript(text: string, { program, namesIn }: Place): readonly string[] {
  if (!editor.test(path.basename(program))) return [];
  const roots = new Set(namesIn('/'));
  const found = [...text.matchAll(/[wWrR](?=!?([^\n;}]*))/g)]
    .slice(0, maxCommands)
    .map(([, name = '']) => name.trim());
  // `s/for/x/` names no file although there is an `r` before a slash.
  return found.filter(
    (name) => /[^/]$/.test(name) && (!name.startsWith('/') || roots.has(name.split('/')[1]!)),
  );
}

const maxCommands = 100;

// The path of a web address is none of this machine; `file:///etc` is.
function withoutWebAddresses(text: string): string {
  return text.replaceAll(/\b(?!file:)[a-z][a-z0-9+.-]*:\/\/\S*/gi, ' ').replaceAll(/\bfile:\/\//gi, ' ');
}

function absolutePaths(text: string): readonly string[] {
  const found = text.matchAll(/(?:^|[=:,;@'"`(!\s]|^-{1,2}\w+)([~/][^'"`\s,;()]*)/g);
  return [...found].map(([, file = '']) => file);
}

// Any name may be a link that leads elsewhere. A command of an editor may stand before it: `w.envrc`.
function relativeNames(piece: string): readonly string[] {
  if (/^[~/-]|\n/.test(piece)) return [];
  return /^\w\./.test(piece) ? [piece, piece.slice(1)] : [piece];
}

/** The value of an option without a blank before it: `-o.envrc`, `-xo.envrc`. */
function gluedNames(text: string): readonly string[] {
  const [, letters = ''] = /^-([A-Za-z0-9]{1,16})/.exec(text) ?? [];
  return [...letters].map((_, at) => text.slice(at + 2)).filter((name) => !name.startsWith('/'));
}

const hasWildcard = /[*?[]/;
const maxFound = 2_000;

/** The files that a shell may put in the place of a path with wildcards; `**` stands for any folders. */
function filesLike(pattern: string, { namesIn }: Place): readonly string[] | undefined {
  let found: readonly string[] = ['/'];
  for (const part of pattern.split('/').filter((each) => each !== '')) {
    if (part === '**') found = found.flatMap((folder) => foldersBelow(folder, namesIn));
    else if (hasWildcard.test(part)) found = found.flatMap((folder) => filesIn(folder, part, namesIn));
    else found = found.map((folder) => `${folder === '/' ? '' : folder}/${part}`);
    if (found.length > maxFound) return undefined;
  }
  return found;
}

function filesIn(folder: string, part: string, namesIn: Place['namesIn']): readonly string[] {
  const like = new RegExp(`^${part.replaceAll(/\[.*\]|[?*]|[^\w]/g, wildcardSource)}$`, 's');
  // Old shells put `..` in the place of `.*`.
  const names = part.startsWith('.') ? ['.', '..', ...namesIn(folder)] : namesIn(folder);
  const isSeen = (name: string) => !name.startsWith('.') || part.startsWith('.') || part.startsWith('[');
  return names.filter((name) => isSeen(name) && like.test(name)).map((name) => `${folder}/${name}`);
}

function wildcardSource(part: string): string {
  if (part === '?') return '.';
  return part === '*' || part.length > 1 ? '.*' : `\\${part}`;
}

function foldersBelow(folder: string, namesIn: Place['namesIn']): readonly string[] {
  const found = [folder];
  for (let at = 0; at < found.length && found.length <= maxFound; at += 1)
    for (const name of namesIn(found[at]!))
      if (!name.startsWith('.')) found.push(path.join(found[at]!, name));
  return found;
}
