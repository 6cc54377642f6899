import { writeSync } from 'node:fs';

const ourVersion = 1;
const unsupportedVersion = 99;

/** Starts the tour, or simulates a failed start. */
export function startWithFailure(
  failure: string | undefined,
  serve: (protocolVersion: number) => void,
): void {
  switch (failure) {
    case 'exit':
      return exitImmediately();
    case 'hang':
      return readWithoutAnswer();
    case 'version':
      return serve(unsupportedVersion);
    default:
      return serve(ourVersion);
  }
}

function exitImmediately(): never {
  writeSync(process.stderr.fd, 'tour: exiting immediately (ACP_TOUR_START=exit)\n');
  process.exit(3);
}

function readWithoutAnswer(): void {
  process.stdin.resume().once('end', () => process.exit(0));
}
