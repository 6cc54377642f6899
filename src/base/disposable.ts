/** Holds a resource until `dispose()`, which may be called more than once. */
export interface Disposable {
  dispose(): void;
}
