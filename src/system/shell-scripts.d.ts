// scripts/shell-text.mjs makes a module of a shell script: bundles and tests import its text.
declare module '*.sh' {
  export const text: string;
}
