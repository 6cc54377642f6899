/** Pauses and resumes what comes in. */
export interface FlowControl {
  pause(): void;
  resume(): void;
}
