/** Returns a function that calls `start` once and returns its result every time. */
export function once<T>(start: () => T): () => T {
  let result: { value: T } | undefined;
  return () => {
    result ??= { value: start() };
    return result.value;
  };
}
