export interface Import {
  /** A file, from `src/`. */
  readonly file: string;
  /** A package, or a file from `src/`. */
  readonly target: string;
  readonly isType: boolean;
}

export function readImports(root?: string): readonly Import[];
export function folderOf(file: string): string;
export function folderEdges(imports: readonly Import[]): ReadonlyMap<string, number>;
export function cyclesIn(edges: ReadonlyMap<string, number>): readonly (readonly string[])[];
export function cyclesAmongSiblings(imports: readonly Import[]): readonly (readonly string[])[];
