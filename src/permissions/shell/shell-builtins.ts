/** Builtins that set variables. A name such as `a[$(date)]` runs the command in it, and `PATH` changes what runs later. */
const setsVariables =
  /^(declare|export|getopts|let|local|mapfile|read|readarray|readonly|typeset|unset|vared)$/;
/** Builtins that change what later commands mean, or keep commands for later. */
const changesCommands =
  /^(alias|autoload|bind|compgen|complete|compopt|emulate|enable|fc|functions|hash|history|setopt|shopt|trap|unalias|unsetopt|zle|zmodload)$/;

/**
 * Whether a command changes the shell that runs the rest of the line, or has code in its words that only the shell reads.
 * Like a destructive one, it needs a rule without wildcards.
 */
export function changesShell([program = '', ...args]: readonly string[]): boolean {
  if (setsVariables.test(program) || changesCommands.test(program)) return true;
  switch (program) {
    case 'printf':
      // zsh and ksh calculate the numbers it prints, and run the command in `a[$(date)]`.
      return args[0]?.startsWith('-v') === true || args.some((arg) => /\[.*[$`]/s.test(arg));
    case 'wait':
      return args.some((arg) => arg.startsWith('-p'));
    case 'test':
    case '[':
      return args.some((arg) => /^-[vR]$/.test(arg) || arg.includes('['));
    case 'set':
      return !/^(-[eux]+)?( ?-[eux]*o (errexit|nounset|pipefail|xtrace))*$/.test(args.join(' '));
    default:
      return false;
  }
}
