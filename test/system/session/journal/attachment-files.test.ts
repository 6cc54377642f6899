import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { AttachmentFiles } from '../../../../src/session/journal/attachment-files.ts';
import { LogDouble } from '../../../support/doubles/log.ts';
import { aPng } from '../../../support/pictures.ts';
import { aFolder } from '../../../support/system/temp.ts';

const modeOf = (file: string) => fs.statSync(file).mode & 0o777;

function someFiles() {
  const folder = path.join(aFolder(), 'chat.attachments');
  const log = new LogDouble();
  return { files: new AttachmentFiles(folder, log), folder, log };
}

describe('a picture that an agent sends', () => {
  it('is in a private file once the chat has ended', async () => {
    const { files, folder } = someFiles();
    const file = files.keepLater('picture.png', aPng())!;
    await files.end();
    expect(fs.readFileSync(file)).toEqual(aPng());
    expect(path.dirname(file)).toBe(folder);
    expect([modeOf(file), modeOf(folder)]).toEqual([0o600, 0o700]);
    expect(fs.readdirSync(folder)).toEqual([path.basename(file)]);
  });

  it('is on disk when the user opens it, however early', async () => {
    const { files } = someFiles();
    const file = files.keepLater('picture.png', aPng())!;
    expect(fs.existsSync(file)).toBe(false);
    await files.written();
    expect(fs.readFileSync(file)).toEqual(aPng());
    await files.end();
  });

  it('is written once if it is sent again', async () => {
    const { files, folder } = someFiles();
    const file = files.keepLater('picture.png', aPng());
    expect(files.keepLater('picture.png', aPng())).toBe(file);
    await files.end();
    expect(fs.readdirSync(folder)).toHaveLength(1);
  });

  it('is not written after the end of the chat', async () => {
    const { files, folder } = someFiles();
    await files.end();
    expect(files.keepLater('picture.png', aPng())).toBeUndefined();
    expect(fs.existsSync(folder)).toBe(false);
  });

  it('is not written if the chat has received 200 MB already', async () => {
    const { files } = someFiles();
    const large = Buffer.alloc(150 * 1024 * 1024);
    expect(files.keepLater('one.png', large)).toBeDefined();
    large[0] = 1;
    expect(files.keepLater('two.png', large)).toBeUndefined();
    await files.end();
  });

  it('that cannot be written is in the log', async () => {
    const { files, folder, log } = someFiles();
    fs.writeFileSync(folder, 'in the way');
    files.keepLater('picture.png', aPng());
    await files.end();
    expect(log.lines.join()).toContain('could not keep the attachment');
  });
});
