export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

export interface Log {
  error(message: string, error?: unknown): void;
  warn(message: string): void;
  info(message: string): void;
  debug(message: string): void;
}
