/** The options of a program that are known to be harmless. */
export interface ListedOptions {
  /** Long options, separated by blanks; each may have a value after `=`. */
  readonly long?: string;
  /** Letters of options without a value. */
  readonly flags?: string;
  /** Letters of options whose value may follow at once: `-n5`. */
  readonly valued?: string;
}

/** The options among some arguments, and the others. `--` ends the options for no program that is fooled about it. */
export function splitOptions(args: readonly string[]) {
  const isOption = (arg: string) => arg.startsWith('-') && arg !== '-' && arg !== '--';
  return {
    options: args.filter(isOption),
    others: args.filter((arg) => !isOption(arg) && arg !== '--'),
  };
}

/** Whether every option is on the list. A value that looks like an option has to be on it too. */
export function hasOnlyListed(args: readonly string[], listed: ListedOptions): boolean {
  return splitOptions(args).options.every((option) => isListed(option, listed));
}

function isListed(option: string, { long = '', flags = '', valued = '' }: ListedOptions): boolean {
  if (option.startsWith('--')) return long.split(' ').includes(option.slice(2).split('=')[0]!);
  const letters = [...option.slice(1)];
  const end = letters.findIndex((letter) => !flags.includes(letter));
  return end === -1 || valued.includes(letters[end]!);
}
