import { hasLongId, withTextIds } from '../exact-ids.ts';

const newline = 10;

/**
 * Keeps the ids in an event stream exact, because the SDK parses its messages. Delivers complete lines, which `onLines` gets
 * before; a line that is longer than `maxBytes` is delivered unchanged.
 */
export function exactIdStream(
  maxBytes: number,
  onLines: (lines: Uint8Array) => void,
): TransformStream<Uint8Array, Uint8Array> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const take = (last: Uint8Array) => {
    const bytes = Buffer.concat([...parts, last]);
    parts = [];
    size = 0;
    return bytes;
  };
  const deliver = (lines: Buffer, controller: TransformStreamDefaultController<Uint8Array>) => {
    onLines(lines);
    controller.enqueue(withExactIds(lines));
  };
  return new TransformStream({
    transform: (chunk, controller) => {
      const end = chunk.lastIndexOf(newline) + 1;
      if (end > 0) deliver(take(chunk.subarray(0, end)), controller);
      const rest = chunk.subarray(end);
      size += rest.length;
      if (size > maxBytes) controller.enqueue(take(rest));
      else if (rest.length > 0) parts.push(rest);
    },
    flush: (controller) => controller.enqueue(withExactIds(take(new Uint8Array()))),
  });
}

function withExactIds(bytes: Buffer): Uint8Array {
  return hasLongId(bytes.toString('latin1')) ? Buffer.from(withTextIds(bytes.toString())) : bytes;
}
