import { sanitiseLine } from './sanitise.ts';

/** A duration: `0.3 s`, `12 s`, `3 m 20 s`. */
export function duration(ms: number): string {
  // The system clock may be set back meanwhile.
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 10) return `${(Math.floor(seconds * 10) / 10).toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} m ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} m`;
}

/** A running duration, in whole seconds. */
export function elapsed(ms: number): string {
  return ms < 10_000 ? `${Math.floor(Math.max(0, ms) / 1000)} s` : duration(ms);
}

/** The local time of day: `14:05`. */
export function timeOfDay(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function moreLines(count: number): string {
  return count === 1 ? '… 1 more line' : `… ${count} more lines`;
}

/** A large number: `800`, `12.4k`, `1.2M`. */
export function count(value: number): string {
  if (value < 1_000) return String(Math.round(value));
  if (value < 999_500) return `${(value / 1_000).toFixed(value < 99_950 ? 1 : 0)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}

/** An amount of money: `$0.12`, `3.00 EUR`. */
export function price({ amount, currency }: { readonly amount: number; readonly currency: string }): string {
  return currency === 'USD' ? `$${amount.toFixed(2)}` : `${amount.toFixed(2)} ${sanitiseLine(currency)}`;
}
