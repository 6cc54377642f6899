/** Attributes as `hl_attr_define` sends them; absent means off or the default colour. */
export interface RgbAttributes {
  readonly foreground?: number;
  readonly background?: number;
  readonly special?: number;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly reverse?: boolean;
  readonly strikethrough?: boolean;
  readonly underline?: boolean;
  readonly undercurl?: boolean;
  readonly underdouble?: boolean;
  readonly underdotted?: boolean;
  readonly underdashed?: boolean;
}

/** Attributes as seen: default colours filled in and `reverse` already applied to `fg` and `bg`. */
export interface Style {
  readonly fg: string;
  readonly bg: string;
  /** The colour of the lines below the text: that of the text, as in a terminal, unless it was set. */
  readonly special: string;
  readonly bold: boolean;
  readonly italic: boolean;
  readonly underline: boolean;
  readonly undercurl: boolean;
  readonly strikethrough: boolean;
  readonly reverse: boolean;
}

/** The highlight ids that Neovim has defined. */
export class Highlights {
  private defaults = { foreground: 0xffffff, background: 0x000000 };
  private readonly attributes = new Map<number, RgbAttributes>();
  private readonly styles = new Map<number, Style>();

  setDefaults(foreground: number, background: number): void {
    const known = Object.entries({ foreground, background }).filter(([, color]) => color >= 0);
    this.defaults = { ...this.defaults, ...Object.fromEntries(known) };
    this.styles.clear();
  }

  define(id: number, attributes: RgbAttributes): void {
    this.attributes.set(id, attributes);
    this.styles.delete(id);
  }

  style(id: number): Style {
    const known = this.styles.get(id);
    if (known) return known;
    const style = this.resolve(this.attributes.get(id) ?? {});
    this.styles.set(id, style);
    return style;
  }

  private resolve(attributes: RgbAttributes): Style {
    const { foreground, background, special, ...flags } = { ...this.defaults, ...attributes };
    const colors = [hex(foreground), hex(background)] as const;
    const [fg, bg] = flags.reverse ? [colors[1], colors[0]] : colors;
    return {
      fg,
      bg,
      special: special === undefined ? fg : hex(special),
      bold: flags.bold ?? false,
      italic: flags.italic ?? false,
      underline: flags.underline ?? flags.underdouble ?? flags.underdotted ?? flags.underdashed ?? false,
      undercurl: flags.undercurl ?? false,
      strikethrough: flags.strikethrough ?? false,
      reverse: flags.reverse ?? false,
    };
  }
}

function hex(color: number): string {
  return `#${color.toString(16).padStart(6, '0')}`;
}
