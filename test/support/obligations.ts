const groups: Readonly<Record<string, number>> = {
  INIT: 7,
  AUTH: 8,
  SES: 15,
  TURN: 13,
  CXL: 4,
  MSG: 5,
  TOOL: 10,
  FS: 5,
  TERM: 9,
  PLAN: 1,
  CMD: 1,
  MODE: 2,
  CFG: 6,
  USE: 1,
  NOT: 1,
  CMP: 1,
  ELI: 9,
  TR: 4,
  ERR: 2,
  EXT: 2,
};

/** What a client owes to the protocol; each has one test that begins with its id. */
export const obligations: readonly string[] = Object.entries(groups).flatMap(([name, count]) =>
  Array.from({ length: count }, (_, index) => `${name}-${index + 1}`),
);

/** Those that nobody can prove yet; their tests are still to be written. */
export const owed: readonly string[] = [];
