/** File names that programs often handle wrongly, each with the reason. */
export const unusualFileNames: readonly [string, string][] = [
  ['spaces', 'a b  c.txt'],
  ['quotes', `it's "so".txt`],
  ['a newline', 'a\nb.txt'],
  ['%', '100%.txt'],
  ['#', 'a#1.txt'],
  ['[', 'a[1].txt'],
  ['unicode', 'äöü-日本語-😀.txt'],
  ['~', '~'],
  ['$HOME', '$HOME'],
  ['a drive letter', 'C:\\a.txt'],
  ['a bar and a star', '|*?.txt'],
];
