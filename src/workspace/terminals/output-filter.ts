const escapeByte = 0x1b;
const bell = 0x07;
const cancel = 0x18;
const substitute = 0x1a;
const backslash = 0x5c;
const semicolon = 0x3b;
const colon = 0x3a;
/** The end of REP, which repeats the last character. */
const repeatByte = 0x62;

/** The operating system command that sets or reads the clipboard. */
const clipboardCommand = 52;
/** A terminal may compute a longer number modulo 2^32. */
const maxDigits = 6;
/** Neovim writes beyond its memory if a sequence has more parameters. */
const maxParameters = 16;
/** Neovim keeps a string (a title, a link, a picture) without limit until its end. */
const maxStringBytes = 64 * 1024;
const maxRepeated = 1_000;
/** The first byte of a control character of two bytes. */
const controlLead = 0xc2;
/** The second byte of a no-break space. */
const noBreakSpace = 0xa0;

type State = 'text' | 'escape' | 'number' | 'string' | 'parameters' | Dropped;
type Dropped = 'dropped string' | 'dropped escape' | 'dropped parameters';

/** The state after ESC and one of these characters. */
const stateAfterEscape: Readonly<Record<string, State>> = {
  ']': 'number',
  '[': 'parameters',
  P: 'string',
  X: 'string',
  '^': 'string',
  _: 'string',
};

/**
 * Cancels the sequences in the output of a command that Neovim must not see in a terminal buffer, and drops the rest of
 * them: those that set or read the clipboard (OSC 52), those that make it crash or hang, and strings without end. A
 * sequence may be divided between pieces.
 */
export class OutputFilter {
  private state: State = 'text';
  private digits = '';
  private count = 0;
  /** The last byte of text; 0 if a sequence followed. */
  private last = 0;
  /** The next byte beyond ASCII may complete a control character of two bytes (U+0080 to U+009F). */
  private isInCharacter = false;

  /** Continue at bytes that do not follow the last ones. */
  reset(): void {
    this.state = 'text';
    this.last = 0;
  }

  filter(bytes: Buffer): Buffer {
    if (
      this.state === 'text' &&
      !bytes.includes(escapeByte) &&
      !bytes.includes(controlLead) &&
      !this.isInCharacter
    ) {
      this.last = bytes.at(-1) ?? this.last;
      return bytes;
    }
    const kept: number[] = [];
    for (const byte of bytes) this.take(byte, kept);
    return Buffer.from(kept);
  }

  private take(byte: number, kept: number[]): void {
    const state = this.state;
    if (isDropped(state)) return this.takeDropped(state, byte, kept);
    if (state === 'number' && this.isClipboard(byte)) return this.drop('dropped string', byte, kept);
    if (state === 'string' && this.count >= maxStringBytes) return this.drop('dropped string', byte, kept);
    if (state === 'parameters' && isSeparator(byte) && this.count === maxParameters)
      return this.drop('dropped parameters', byte, kept);
    if (state === 'parameters' && byte === repeatByte) return this.repeat(kept);
    // Neovim 0.10 crashes at such a control character in insert mode.
    const isControl = this.isInCharacter && byte >= 0x80 && byte < noBreakSpace;
    // ASCII characters and sequences in the middle of a character do not always end it.
    if (byte >= 0x80) this.isInCharacter = byte === controlLead;
    this.state = this.next(state, byte);
    kept.push(isControl ? noBreakSpace : byte);
  }

  private drop(state: Dropped, byte: number, kept: number[]): void {
    kept.push(cancel);
    this.state = state;
    this.takeDropped(state, byte, kept);
  }

  private takeDropped(state: Dropped, byte: number, kept: number[]): void {
    if (state === 'dropped escape') {
      this.state = 'text';
      if (byte === backslash) return;
      // Another escape sequence begins.
      kept.push(escapeByte);
      this.state = 'escape';
      this.take(byte, kept);
    } else if (byte === escapeByte) this.state = 'dropped escape';
    else if (byte === cancel || byte === substitute) this.state = 'text';
    else if (state === 'dropped string' ? byte === bell : isFinal(byte)) this.state = 'text';
  }

  // Neovim hangs if there is nothing to repeat, and crashes if a wide character does not fit into the row.
  private repeat(kept: number[]): void {
    kept.push(cancel);
    this.state = 'text';
    if (this.last < 0x20 || this.last >= 0x7f) return;
    const times = Math.min(maxRepeated, Math.max(1, Number(this.digits)));
    for (let time = 0; time < times; time += 1) kept.push(this.last);
  }

  /** Whether the number is that of the clipboard, and complete with this byte. Neovim needs no semicolon after it. */
  private isClipboard(byte: number): boolean {
    if (isDigit(byte)) return this.digits.length === maxDigits;
    return !isSkipped(byte) && Number(this.digits) === clipboardCommand;
  }

  private next(state: Exclude<State, Dropped>, byte: number): State {
    if (byte === escapeByte) return 'escape';
    if (byte === cancel || byte === substitute) return 'text';
    switch (state) {
      case 'text':
        this.last = byte;
        return 'text';
      case 'escape':
        return this.afterEscape(byte);
      case 'number':
        if (isDigit(byte)) this.digits += String.fromCharCode(byte);
        if (isDigit(byte) || isSkipped(byte)) return 'number';
        return byte === bell ? 'text' : 'string';
      case 'string':
        this.count += 1;
        return byte === bell ? 'text' : 'string';
      case 'parameters':
        return this.afterParameter(byte);
    }
  }

  private afterEscape(byte: number): State {
    const state = stateAfterEscape[String.fromCharCode(byte)];
    if (state) {
      this.digits = '';
      this.count = state === 'parameters' ? 1 : 0;
      return state;
    }
    // Control characters and bytes beyond ASCII do not end an escape sequence.
    return byte < 0x20 || byte >= 0x7f ? 'escape' : 'text';
  }

  private afterParameter(byte: number): State {
    if (isFinal(byte)) {
      this.last = 0;
      return 'text';
    }
    if (isSeparator(byte)) this.count += 1;
    else if (isDigit(byte) && this.count === 1 && this.digits.length < maxDigits)
      this.digits += String.fromCharCode(byte);
    return 'parameters';
  }
}

function isDropped(state: State): state is Dropped {
  return state.startsWith('dropped');
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isSeparator(byte: number): boolean {
  return byte === semicolon || byte === colon;
}

/** The last byte of a sequence with parameters. */
function isFinal(byte: number): boolean {
  return byte >= 0x40 && byte <= 0x7e;
}

/** Terminals skip these within a number. */
function isSkipped(byte: number): boolean {
  return (byte < 0x20 && ![escapeByte, bell, cancel, substitute].includes(byte)) || byte === 0x7f;
}
