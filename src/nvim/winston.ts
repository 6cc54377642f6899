// Stands in for the logging library inside `neovim`, which would be a third of our start-up time. The bundle resolves
// `winston` to this file; what the client library has to say at all is not of interest beside our own log.
const quiet = { info() {}, warn() {}, error() {}, debug() {}, add() {}, level: 'error' };
const nothing = () => undefined;

export const createLogger = () => quiet;
export const format = { combine: nothing, splat: nothing, timestamp: nothing, printf: nothing };
export const transports = { Console: class {}, File: class {} };
