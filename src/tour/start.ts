import { writeSync } from 'node:fs';

const ourVersion = 1;
const unheardOfVersion = 99;

/** Starts the tour, or badly in a way that clients have to cope with. */
export function startAs(way: string | undefined, serve: (protocolVersion: number) => void): void {
  switch (way) {
    case 'exit':
      return exitAtOnce();
    case 'hang':
      return readWithoutAnswer();
    case 'version':
      return serve(unheardOfVersion);
    default:
      return serve(ourVersion);
  }
}

function exitAtOnce(): never {
  writeSync(process.stderr.fd, 'tour: ACP_TOUR_START=exit asks me to leave before the first word.\n');
  process.exit(3);
}

function readWithoutAnswer(): void {
  process.stdin.resume().once('end', () => process.exit(0));
}
