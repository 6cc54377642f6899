import { expect, it } from 'vitest';
import { fileError, isMissing } from '../../../../src/workspace/files/disk.ts';

const failure = (code: string) => Object.assign(new Error('it failed'), { code });

it.each([
  ['EISDIR', 'bad_params', 'is a folder'],
  ['ENOTEMPTY', 'bad_params', 'is a folder with files in it'],
  ['EMOVED', 'file_error', 'leads through a symlink that was not there before; it was not touched'],
  ['ESHARED', 'file_error', 'has a second name (a hard link); it was not touched'],
  ['ENOTFILE', 'bad_params', 'is not a regular file'],
  ['EACCES', 'file_error', "can't be opened: permission denied"],
  ['EPERM', 'file_error', "can't be opened: permission denied"],
  ['EROFS', 'file_error', 'is on a read-only file system'],
  ['ENOSPC', 'file_error', 'was not written: the disk is full'],
  ['EDQUOT', 'file_error', 'was not written: the disk is full'],
  ['EFBIG', 'file_error', 'was not written: the file would be too large'],
  ['ENAMETOOLONG', 'bad_params', 'has a path that is too long'],
  ['ERR_STRING_TOO_LONG', 'file_error', 'is too large to send'],
  ['ERR_FS_FILE_TOO_LARGE', 'file_error', 'is too large to send'],
  ['EEXIST', 'file_error', 'has a parent that is not a folder'],
  ['ENOTDIR', 'file_error', 'has a parent that is not a folder'],
  ['ELOOP', 'bad_params', 'is part of a symlink loop'],
  ['EIO', 'file_error', 'it failed'],
])('the error of a file says what %s means', (systemCode, code, reason) => {
  const cause = failure(systemCode);
  expect(fileError('/work/a', cause)).toMatchObject({ code, message: `/work/a ${reason}`, cause });
});

it('the error of a file without a code of the system says its message', () => {
  const error = fileError('/work/a', new Error('it failed'));
  expect(error).toMatchObject({ code: 'file_error', message: '/work/a it failed' });
});

it.each([
  ['ENOENT', true],
  ['ENOTDIR', true],
  ['EACCES', false],
])('a file with the error %s is missing: %s', (code, expected) => {
  expect(isMissing(failure(code))).toBe(expected);
});
