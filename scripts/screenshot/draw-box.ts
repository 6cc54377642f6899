/** A rectangle of the picture. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

type Arm = 'left' | 'right' | 'up' | 'down';

const arms: Readonly<Record<string, readonly Arm[]>> = {
  '─': ['left', 'right'],
  '│': ['up', 'down'],
  '┌': ['right', 'down'],
  '┐': ['left', 'down'],
  '└': ['right', 'up'],
  '┘': ['left', 'up'],
  '├': ['up', 'down', 'right'],
  '┤': ['up', 'down', 'left'],
  '┬': ['left', 'right', 'down'],
  '┴': ['left', 'right', 'up'],
  '┼': ['left', 'right', 'up', 'down'],
};

const roundCorners: Readonly<Record<string, readonly [from: Arm, to: Arm]>> = {
  '╭': ['down', 'right'],
  '╮': ['down', 'left'],
  '╰': ['up', 'right'],
  '╯': ['up', 'left'],
};

/** A box-drawing character as an SVG path, so that its lines meet in any font; undefined for other characters. */
export function boxPath(character: string, box: Box): string | undefined {
  const corner = roundCorners[character];
  if (corner) return `M${end(corner[0], box)}Q${center(box)} ${end(corner[1], box)}`;
  return arms[character]?.map((arm) => `M${center(box)}L${end(arm, box)}`).join('');
}

function center({ x, y, width, height }: Box): string {
  return point(x + width / 2, y + height / 2);
}

function end(arm: Arm, { x, y, width, height }: Box): string {
  switch (arm) {
    case 'left':
      return point(x, y + height / 2);
    case 'right':
      return point(x + width, y + height / 2);
    case 'up':
      return point(x + width / 2, y);
    case 'down':
      return point(x + width / 2, y + height);
  }
}

function point(x: number, y: number): string {
  return `${round(x)},${round(y)}`;
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
