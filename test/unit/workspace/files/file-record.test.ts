import { expect, it } from 'vitest';
import { FileRecords, SharedFileRecords } from '../../../../src/workspace/files/file-record.ts';

it('a file has one record in a session, in the order of the first use', () => {
  const records = new FileRecords();
  const [first, second] = [records.get('/b'), records.get('/a')];
  expect(records.get('/b')).toBe(first);
  expect(records.find('/a')).toBe(second);
  expect(records.find('/c')).toBeUndefined();
  expect(records.all()).toEqual([first, second]);
});

it('sessions share what is shared about a file, and nothing else', () => {
  const shared = new SharedFileRecords();
  const [one, other] = [new FileRecords(shared).get('/a'), new FileRecords(shared).get('/a')];
  expect(one).not.toBe(other);
  expect(one.shared).toBe(other.shared);
  expect(new FileRecords(shared).get('/b').shared).not.toBe(one.shared);
  expect(new FileRecords().get('/a').shared).not.toBe(one.shared);
});

it('nothing is known about a new file', () => {
  expect(new FileRecords().get('/a')).toMatchObject({
    ...{ path: '/a', shared: {}, merges: [], earlierTexts: [], saves: 0 },
    ...{ isMergeNoticed: false, isSavePending: false },
  });
});
