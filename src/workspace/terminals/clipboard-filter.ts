const escapeByte = 0x1b;
const bell = 0x07;
const openBracket = 0x5d;
const backslash = 0x5c;
const semicolon = 0x3b;
const cancel = 0x18;
const substitute = 0x1a;

/** The operating system command that sets or reads the clipboard. */
const clipboardCommand = 52;
/** A terminal may compute a longer number modulo 2^32. */
const maxDigits = 6;

type State = 'text' | 'escape' | 'number' | 'dropped' | 'dropped escape';

/**
 * Removes sequences that set or read the clipboard (OSC 52) from the output of a command. Neovim obeys them in a terminal
 * buffer. A sequence may be divided between pieces.
 */
export class ClipboardFilter {
  private state: State = 'text';
  /** Bytes that may be the beginning of such a sequence. */
  private held: number[] = [];
  private digits = '';

  /** Continue at bytes that do not follow the last ones. */
  reset(): void {
    this.state = 'text';
    this.held = [];
  }

  filter(bytes: Buffer): Buffer {
    if (this.state === 'text' && !bytes.includes(escapeByte)) return bytes;
    const kept: number[] = [];
    for (const byte of bytes) this.take(byte, kept);
    return Buffer.from(kept);
  }

  private take(byte: number, kept: number[]): void {
    switch (this.state) {
      case 'text':
        if (byte === escapeByte) this.hold(byte, 'escape');
        else kept.push(byte);
        return;
      case 'escape':
        if (byte === openBracket) return this.beginNumber(byte);
        this.release(kept);
        return this.take(byte, kept);
      case 'number':
        return this.takeNumber(byte, kept);
      case 'dropped':
        if (byte === escapeByte) this.state = 'dropped escape';
        else if (byte === bell || byte === cancel || byte === substitute) this.state = 'text';
        return;
      case 'dropped escape':
        this.state = 'text';
        // Another escape sequence begins if this is not the end of the string.
        if (byte !== backslash) {
          this.hold(escapeByte, 'escape');
          this.take(byte, kept);
        }
    }
  }

  private hold(byte: number, state: State): void {
    this.held.push(byte);
    this.state = state;
  }

  private beginNumber(byte: number): void {
    this.digits = '';
    this.hold(byte, 'number');
  }

  private takeNumber(byte: number, kept: number[]): void {
    if (byte >= 0x30 && byte <= 0x39) {
      this.digits += String.fromCharCode(byte);
      this.held.push(byte);
      if (this.digits.length > maxDigits) this.drop();
    } else if (byte === semicolon && Number(this.digits) === clipboardCommand) this.drop();
    else if (isIgnored(byte)) this.held.push(byte);
    else {
      this.release(kept);
      this.take(byte, kept);
    }
  }

  private drop(): void {
    this.held = [];
    this.state = 'dropped';
  }

  private release(kept: number[]): void {
    kept.push(...this.held);
    this.held = [];
    this.state = 'text';
  }
}

/** Terminals skip these within a sequence. */
function isIgnored(byte: number): boolean {
  return (byte < 0x20 && ![escapeByte, bell, cancel, substitute].includes(byte)) || byte === 0x7f;
}
