export function releaseFiles(root: string): readonly string[];
