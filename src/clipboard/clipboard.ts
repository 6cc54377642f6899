import { describeSize } from '../base/text.ts';
import { type MediaType, mediaTypeOf } from '../media/media-type.ts';
import { checkPicture } from '../media/picture.ts';
import { findProgram } from '../system/find-program.ts';
import type { OrphanGuard } from '../system/orphan-guard.ts';
import { type ClipboardTool, clipboardTools, decodeOutput } from './clipboard-tools.ts';
import { runTool, type ToolResult } from './run-tool.ts';

export interface ClipboardPorts {
  readonly orphanGuard: OrphanGuard;
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  readonly deadlineMs: number;
  readonly maxBytes: number;
}

export type ClipboardPicture =
  | { readonly bytes: Buffer; readonly type: MediaType }
  /** Why there is none, and what to do. Undefined: the host ends. */
  | { readonly problem: string | undefined };

const preferred = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/bmp'];
const alternative = 'or mention a file: @shot.png';

/** Reads a picture from the clipboard with a program of the system. It never rejects. */
export async function readClipboardPicture(
  ports: ClipboardPorts,
  signal: AbortSignal,
): Promise<ClipboardPicture> {
  const { platform, env } = ports;
  const { tools, advice } = clipboardTools(platform, env);
  if (tools.length === 0) {
    return problem(
      `there is no clipboard here: neither WAYLAND_DISPLAY nor DISPLAY is set; mention a file: @shot.png`,
    );
  }
  for (const tool of tools) {
    const program = findProgram(tool.program, { cwd: process.cwd(), searchPath: env.PATH });
    if (program !== undefined) return new ToolReader(tool, program, ports, signal).read();
  }
  const names = tools.map(({ program }) => program).join(' and ');
  return problem(`the clipboard could not be read: ${names} not found; ${advice}, ${alternative}`);
}

function problem(text: string | undefined): { readonly problem: string | undefined } {
  return { problem: text };
}

class ToolReader {
  private readonly tool: ClipboardTool;
  private readonly program: string;
  private readonly ports: ClipboardPorts;
  private readonly signal: AbortSignal;

  constructor(tool: ClipboardTool, program: string, ports: ClipboardPorts, signal: AbortSignal) {
    this.tool = tool;
    this.program = program;
    this.ports = ports;
    this.signal = signal;
  }

  async read(): Promise<ClipboardPicture> {
    const type = await this.findType();
    if (typeof type !== 'string') return type;
    const { encoding } = this.tool;
    const { maxBytes } = this.ports;
    const result = await this.run(
      this.tool.readPicture(type),
      encoding === 'bytes' ? maxBytes : 2 * maxBytes + 100,
    );
    if (result.kind !== 'exited') return problem(this.describeFailure(result));
    if (result.code !== 0) return problem(this.describeExit(result));
    const bytes = decodeOutput(result.output, encoding);
    return bytes && bytes.length > 0 ? this.check(bytes) : problem(this.nothing);
  }

  private get nothing(): string {
    return `the clipboard has no picture; copy one, ${alternative}`;
  }

  // Asking for a picture while the clipboard has a text makes some programs print the text.
  private async findType(): Promise<string | { readonly problem: string | undefined }> {
    if (!this.tool.listTypes) return '';
    const result = await this.run(this.tool.listTypes, 64 * 1024);
    if (result.kind !== 'exited') return problem(this.describeFailure(result));
    if (result.code !== 0) return problem(this.describeExit(result));
    const types = result.output.toString().split(/\s+/);
    const found = preferred.find((type) => types.includes(type));
    if (found !== undefined) return found;
    const other = types.find((type) => type.startsWith('image/'));
    if (other !== undefined)
      return problem(`the picture in the clipboard is ${other}, which is not supported; copy it as PNG`);
    const isText = types.some((type) => /^(text\/|UTF8_STRING|STRING|TEXT)/.test(type));
    return problem(
      isText ? `the clipboard has a text, not a picture; copy a picture, ${alternative}` : this.nothing,
    );
  }

  private check(bytes: Buffer): ClipboardPicture {
    if (bytes.length > this.ports.maxBytes) return problem(this.describeFailure({ kind: 'large' }));
    const type = mediaTypeOf(bytes);
    if (type?.kind !== 'image')
      return problem(
        `${this.tool.program} printed something that is no picture; copy the picture again, ${alternative}`,
      );
    const checked = checkPicture(bytes, type);
    if (!('problem' in checked)) return { bytes, type };
    return problem(`the picture in the clipboard can't be used: ${checked.problem}`);
  }

  private run(args: readonly string[], maxBytes: number): Promise<ToolResult> {
    const { env, deadlineMs, orphanGuard } = this.ports;
    const { program, signal } = this;
    return runTool({ program, args, env, deadlineMs, maxBytes, signal }, orphanGuard);
  }

  private describeFailure(result: Exclude<ToolResult, { kind: 'exited' }>): string | undefined {
    const { program } = this.tool;
    switch (result.kind) {
      case 'cancelled':
        return undefined;
      case 'late':
        return `${program} did not answer within ${this.ports.deadlineMs / 1000} s and was ended; copy the picture again, ${alternative}`;
      case 'large':
        return `the picture in the clipboard is larger than ${describeSize(this.ports.maxBytes)}, which is the most that can be sent; make it smaller`;
      case 'failed':
        return `${program} could not be started: ${result.error}`;
    }
  }

  private describeExit({ code, error }: Extract<ToolResult, { kind: 'exited' }>): string {
    const { program, listTypes } = this.tool;
    const [line = ''] = error.trim().split('\n');
    const isEmpty = /not available|nothing is copied|no selection|no image|expected type/i.test(line);
    // Programs without a list of types fail if the clipboard has something else.
    if (isEmpty || (!listTypes && line === '')) return this.nothing;
    return `${program} failed (${line || `exit code ${code}`}); copy the picture again, ${alternative}`;
  }
}
