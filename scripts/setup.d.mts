export function hasPackages(folder: string, options: { dev: boolean }): boolean;
