import { shellQuote } from '../../../src/base/shell.ts';
import { fc } from '../property.ts';

interface Pieces {
  readonly folder: fc.Arbitrary<string>;
  readonly file: fc.Arbitrary<string>;
  /** Commands that write. */
  readonly write: fc.Arbitrary<string>;
  /** A file of two lines, by its absolute path. */
  readonly list: string;
}

/** Lines of changes of the folder, commands that write, and all that may stand around them. */
export function linesOf({ folder, file, write, list }: Pieces): fc.Arbitrary<string> {
  const change = fc
    .tuple(fc.constantFrom('cd', 'cd', 'cd -P', 'pushd', 'popd', 'chdir'), folder)
    .map(([program, target]) => (program === 'popd' ? program : `${program} ${target}`));
  return fc.letrec<{ line: string; command: string }>((tie) => ({
    command: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { arbitrary: change, weight: 5 },
      { arbitrary: write, weight: 5 },
      { arbitrary: tie('command').map((each) => `command ${each}`), weight: 1 },
      { arbitrary: tie('command').map((each) => `builtin ${each}`), weight: 1 },
      { arbitrary: tie('command').map((each) => `time ${each}`), weight: 1 },
      { arbitrary: tie('line').map((each) => `eval ${shellQuote(each)}`), weight: 2 },
      { arbitrary: tie('line').map((each) => `sh -c ${shellQuote(each)}`), weight: 1 },
      { arbitrary: tie('line').map((each) => `bash -c ${shellQuote(each)}`), weight: 1 },
      { arbitrary: tie('line').map((each) => `env sh -c ${shellQuote(each)}`), weight: 1 },
      { arbitrary: tie('line').map((each) => `trap ${shellQuote(each)} EXIT`), weight: 1 },
      {
        arbitrary: fc
          .tuple(folder, tie('line'))
          .map(([target, each]) => `env -C ${target || 'a'} sh -c ${shellQuote(each)}`),
        weight: 1,
      },
      {
        arbitrary: fc
          .tuple(fc.constantFrom('-exec', '-execdir'), tie('line'))
          .map(([option, each]) => `find . -name hooks ${option} sh -c ${shellQuote(each)} \\;`),
        weight: 2,
      },
    ),
    line: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { arbitrary: tie('command'), weight: 3 },
      {
        arbitrary: fc
          .tuple(tie('line'), fc.constantFrom(' && ', '; ', ' || ', '\n', ' | ', ' & '), tie('line'))
          .map((parts) => parts.join('')),
        weight: 6,
      },
      { arbitrary: tie('line').map((each) => `( ${each} )`), weight: 1 },
      { arbitrary: tie('line').map((each) => `{ ${each}; }`), weight: 1 },
      { arbitrary: tie('line').map((each) => `! { ${each}; }`), weight: 1 },
      {
        arbitrary: fc.tuple(tie('line'), file).map(([each, target]) => `{ ${each}; } > ${target}`),
        weight: 1,
      },
      {
        arbitrary: fc
          .tuple(tie('command'), tie('line'), tie('line'))
          .map(([first, then, other]) => `if ${first}; then ${then}; else ${other}; fi`),
        weight: 1,
      },
      { arbitrary: tie('line').map((each) => `while read -r L; do ${each}; done < ${list}`), weight: 1 },
    ),
  })).line;
}
