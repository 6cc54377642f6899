const escapeByte = 0x1b;
const bell = 0x07;
const openBracket = 0x5d;
const backslash = 0x5c;
const cancel = 0x18;
const substitute = 0x1a;

/** The operating system command that sets or reads the clipboard. */
const clipboardCommand = 52;
/** A terminal may compute a longer number modulo 2^32. */
const maxDigits = 6;

type State = 'text' | 'escape' | 'number' | 'dropped' | 'dropped escape';

/**
 * Cancels sequences that set or read the clipboard (OSC 52) in the output of a command, as soon as their number is known,
 * and drops the rest of them. Neovim obeys them in a terminal buffer. A sequence may be divided between pieces.
 */
export class ClipboardFilter {
  private state: State = 'text';
  private digits = '';

  /** Continue at bytes that do not follow the last ones. */
  reset(): void {
    this.state = 'text';
  }

  filter(bytes: Buffer): Buffer {
    if (this.state === 'text' && !bytes.includes(escapeByte)) return bytes;
    const kept: number[] = [];
    for (const byte of bytes) this.take(byte, kept);
    return Buffer.from(kept);
  }

  private take(byte: number, kept: number[]): void {
    switch (this.state) {
      case 'dropped':
      case 'dropped escape':
        return this.takeDropped(byte, kept);
      case 'number':
        if (this.isClipboard(byte)) {
          kept.push(cancel);
          this.state = 'dropped';
          return this.takeDropped(byte, kept);
        }
        this.state = this.afterNumber(byte);
        break;
      case 'escape':
        this.state = this.afterEscape(byte);
        break;
      case 'text':
        if (byte === escapeByte) this.state = 'escape';
    }
    kept.push(byte);
  }

  private takeDropped(byte: number, kept: number[]): void {
    if (this.state === 'dropped') {
      if (byte === escapeByte) this.state = 'dropped escape';
      else if (byte === bell || byte === cancel || byte === substitute) this.state = 'text';
    } else if (byte === backslash) this.state = 'text';
    else {
      // Another escape sequence begins.
      kept.push(escapeByte);
      this.state = 'escape';
      this.take(byte, kept);
    }
  }

  /** Whether the number is that of the clipboard, and complete with this byte. Neovim needs no semicolon after it. */
  private isClipboard(byte: number): boolean {
    if (isDigit(byte)) return this.digits.length === maxDigits;
    return !isSkipped(byte) && Number(this.digits) === clipboardCommand;
  }

  private afterNumber(byte: number): State {
    if (byte === escapeByte) return 'escape';
    if (isDigit(byte)) this.digits += String.fromCharCode(byte);
    return isDigit(byte) || isSkipped(byte) ? 'number' : 'text';
  }

  private afterEscape(byte: number): State {
    if (byte === openBracket) {
      this.digits = '';
      return 'number';
    }
    if (byte === cancel || byte === substitute) return 'text';
    // Control characters and bytes beyond ASCII do not end an escape sequence.
    return byte < 0x20 || byte >= 0x7f ? 'escape' : 'text';
  }
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** Terminals skip these within a number. */
function isSkipped(byte: number): boolean {
  return (byte < 0x20 && ![escapeByte, bell, cancel, substitute].includes(byte)) || byte === 0x7f;
}
