/** A format of pictures or sounds. */
export interface MediaType {
  readonly kind: 'image' | 'audio';
  readonly mimeType: string;
  /** Of its files; the first one is for new files. With the dot. */
  readonly extensions: readonly [string, ...string[]];
}

/** How many bytes of a file are enough to know its type. */
export const mediaProbeBytes = 16;

const types: readonly (MediaType & { readonly matches: (bytes: Buffer) => boolean })[] = [
  type('image', 'png', ['.png'], (bytes) => startsWith(bytes, '\x89PNG\r\n\x1a\n')),
  type('image', 'jpeg', ['.jpg', '.jpeg'], (bytes) => startsWith(bytes, '\xff\xd8\xff')),
  type('image', 'gif', ['.gif'], (bytes) => startsWith(bytes, 'GIF87a') || startsWith(bytes, 'GIF89a')),
  type(
    'image',
    'webp',
    ['.webp'],
    (bytes) => startsWith(bytes, 'RIFF') && startsWith(bytes.subarray(8), 'WEBP'),
  ),
  // Two letters may begin a text too, so the reserved bytes are compared as well.
  type(
    'image',
    'bmp',
    ['.bmp'],
    (bytes) => startsWith(bytes, 'BM') && startsWith(bytes.subarray(6), '\0\0\0\0'),
  ),
  type(
    'audio',
    'wav',
    ['.wav'],
    (bytes) => startsWith(bytes, 'RIFF') && startsWith(bytes.subarray(8), 'WAVE'),
  ),
  type('audio', 'mpeg', ['.mp3'], (bytes) => startsWith(bytes, 'ID3') || isMp3Frame(bytes)),
  type('audio', 'ogg', ['.ogg', '.oga', '.opus'], (bytes) => startsWith(bytes, 'OggS')),
  type('audio', 'flac', ['.flac'], (bytes) => startsWith(bytes, 'fLaC')),
  type('audio', 'mp4', ['.m4a'], (bytes) => startsWith(bytes.subarray(4), 'ftypM4A')),
];

function type(
  kind: MediaType['kind'],
  name: string,
  extensions: MediaType['extensions'],
  matches: (bytes: Buffer) => boolean,
) {
  return { kind, mimeType: `${kind}/${name}`, extensions, matches };
}

/** The type of a picture or a sound by its first bytes; undefined for anything else. */
export function mediaTypeOf(bytes: Uint8Array): MediaType | undefined {
  const head = Buffer.from(bytes.subarray(0, mediaProbeBytes));
  return types.find(({ matches }) => matches(head));
}

function startsWith(bytes: Buffer, text: string): boolean {
  return bytes.subarray(0, text.length).toString('latin1') === text;
}

// Eleven set bits, then a version and layer III. A UTF-16 text also begins with many set bits.
function isMp3Frame(bytes: Buffer): boolean {
  return bytes[0] === 0xff && [0xfa, 0xfb, 0xf2, 0xf3].includes(bytes[1] ?? 0);
}

/** The extensions of all types. */
export const mediaExtensions: readonly string[] = types.flatMap(({ extensions }) => extensions);
