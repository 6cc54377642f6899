export const shellText: {
  readonly name: string;
  load(id: string): { code: string; moduleType: 'js' } | null;
};
