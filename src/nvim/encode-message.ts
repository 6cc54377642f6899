const firstSize = 64 * 1024;
/** A larger buffer is not kept for the next message. */
const largestKept = 1024 * 1024;
/** A code and the largest number or length that follows it. */
const longestHead = 9;
/** What a character of a string takes at most in UTF-8. */
const bytesPerCharacter = 3;

let bytes = Buffer.allocUnsafe(firstSize);
let end = 0;

/**
 * Encodes a message as MessagePack. Fields that are undefined are left out: they would arrive as `vim.NIL`, which is
 * truthy in Lua. The encoder of the `neovim` package counts and copies each character in JavaScript.
 */
export function encodeMessage(message: unknown): Buffer {
  end = 0;
  write(message);
  const encoded = Buffer.from(bytes.subarray(0, end));
  if (bytes.length > largestKept) bytes = Buffer.allocUnsafe(firstSize);
  return encoded;
}

function write(value: unknown): void {
  if (typeof value === 'string') writeString(value);
  else if (typeof value === 'number') writeNumber(value);
  else if (typeof value === 'boolean') writeHead(value ? 0xc3 : 0xc2);
  else if (value === undefined || value === null) writeHead(0xc0);
  else if (Array.isArray(value)) writeArray(value);
  else if (value instanceof Uint8Array) writeBytes(value);
  else if (typeof value === 'object') writeMap(value);
  else throw new TypeError(`Neovim has no type for a ${typeof value}`);
}

// How long a string is in UTF-8 is known once it is written, so its head has room for the longest that it can be.
function writeString(text: string): void {
  const longest = text.length * bytesPerCharacter;
  reserve(longestHead + longest);
  const width = longest < 32 ? 0 : widthOf(longest);
  const size = bytes.write(text, end + 1 + width);
  if (width === 0) writeHead(0xa0 | size);
  else writeHead(0xd9 + (width >> 1), width, size);
  end += size;
}

function writeNumber(value: number): void {
  if (!Number.isSafeInteger(value)) return writeDouble(value);
  if (value >= -0x20 && value < 0x80) return writeHead(value);
  if (value > 0 && value <= 0xffff_ffff) return writeHead(0xce, 4, value);
  // A BigInt would be slower.
  writeHead(0xd3, 4, Math.floor(value / 2 ** 32));
  reserve(longestHead);
  end = bytes.writeUInt32BE(value >>> 0, end);
}

function writeDouble(value: number): void {
  writeHead(0xcb);
  reserve(longestHead);
  end = bytes.writeDoubleBE(value, end);
}

function writeBytes(value: Uint8Array): void {
  reserve(longestHead + value.length);
  const width = widthOf(value.length);
  writeHead(0xc4 + (width >> 1), width, value.length);
  bytes.set(value, end);
  end += value.length;
}

function writeArray(items: readonly unknown[]): void {
  if (items.length < 16) writeHead(0x90 | items.length);
  else writeHead(0xdd, 4, items.length);
  for (const item of items) write(item);
}

function writeMap(record: object): void {
  const fields = Object.entries(record).filter(([, value]) => value !== undefined);
  if (fields.length < 16) writeHead(0x80 | fields.length);
  else writeHead(0xdf, 4, fields.length);
  for (const [key, value] of fields) {
    writeString(key);
    write(value);
  }
}

/** In how many bytes a length is written. */
function widthOf(length: number): number {
  return length < 0x100 ? 1 : length < 0x1_0000 ? 2 : 4;
}

/** Writes a code, and a number of so many bytes behind it. */
function writeHead(code: number, width = 0, value = 0): void {
  reserve(longestHead);
  bytes[end] = code;
  end += 1;
  for (let shift = 8 * (width - 1); shift >= 0; shift -= 8) {
    bytes[end] = value >>> shift;
    end += 1;
  }
}

function reserve(size: number): void {
  if (end + size <= bytes.length) return;
  const larger = Buffer.allocUnsafe(2 * (end + size));
  bytes.copy(larger, 0, 0, end);
  bytes = larger;
}
