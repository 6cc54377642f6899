declare module '*/scripts/nvim.mjs' {
  export function nvimFor(release: string): string;
}
