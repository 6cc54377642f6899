/** A program that reads the clipboard. */
export interface ClipboardTool {
  readonly program: string;
  /** Prints the types of what the clipboard has, one per line. Absent: only a picture can be read. */
  readonly listTypes?: readonly string[];
  /** Prints the picture. `type` is one of those that were listed. */
  readPicture(type: string): readonly string[];
  readonly encoding: 'bytes' | 'base64' | 'applescript';
}

export interface ClipboardTools {
  /** In the order of preference. */
  readonly tools: readonly ClipboardTool[];
  /** What to do if none of them is installed. */
  readonly advice: string;
}

const wlPaste: ClipboardTool = {
  program: 'wl-paste',
  listTypes: ['--list-types'],
  readPicture: (type) => ['--no-newline', '--type', type],
  encoding: 'bytes',
};

const xclip: ClipboardTool = {
  program: 'xclip',
  listTypes: ['-selection', 'clipboard', '-t', 'TARGETS', '-o'],
  readPicture: (type) => ['-selection', 'clipboard', '-t', type, '-o'],
  encoding: 'bytes',
};

const pngpaste: ClipboardTool = { program: 'pngpaste', readPicture: () => ['-'], encoding: 'bytes' };

const osascript: ClipboardTool = {
  program: 'osascript',
  readPicture: () => ['-e', 'get the clipboard as «class PNGf»'],
  encoding: 'applescript',
};

const script = [
  'Add-Type -AssemblyName System.Windows.Forms, System.Drawing',
  '$picture = [Windows.Forms.Clipboard]::GetImage()',
  'if ($picture -eq $null) { exit 3 }',
  '$stream = New-Object IO.MemoryStream',
  '$picture.Save($stream, [Drawing.Imaging.ImageFormat]::Png)',
  '[Console]::Out.Write([Convert]::ToBase64String($stream.ToArray()))',
].join('; ');

const powershell: ClipboardTool = {
  program: 'powershell.exe',
  readPicture: () => ['-NoProfile', '-NonInteractive', '-STA', '-Command', script],
  encoding: 'base64',
};

/** The programs that may read the clipboard of a system. None: the system has no clipboard that is known here. */
export function clipboardTools(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): ClipboardTools {
  if (platform === 'win32') return { tools: [powershell], advice: 'put powershell.exe on PATH' };
  if (platform === 'darwin') return { tools: [pngpaste, osascript], advice: 'install pngpaste' };
  // Linux on Windows has a display of its own, which does not get every picture of Windows.
  const windows = isSet(env.WSL_DISTRO_NAME) || isSet(env.WSL_INTEROP) ? [powershell] : [];
  const wayland = isSet(env.WAYLAND_DISPLAY) ? [wlPaste] : [];
  const x11 = isSet(env.DISPLAY) ? [xclip] : [];
  const tools = [...windows, ...wayland, ...x11];
  const needed = [...wayland.map(() => 'wl-clipboard'), ...x11.map(() => 'xclip')];
  const advice = needed.length > 0 ? `install ${needed.join(' or ')}` : 'put powershell.exe on PATH';
  return { tools, advice };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/** The bytes of a picture, as a tool printed it. Undefined if the output is something else. */
export function decodeOutput(output: Buffer, encoding: ClipboardTool['encoding']): Buffer | undefined {
  if (encoding === 'bytes') return output;
  const text = output.toString('latin1').trim();
  if (encoding === 'base64') {
    return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
  }
  // «data PNGf89504E47…», where the quotes are two bytes each.
  const hex = /data PNGf([0-9A-Fa-f]+)/.exec(text)?.[1];
  return hex === undefined ? undefined : Buffer.from(hex, 'hex');
}
