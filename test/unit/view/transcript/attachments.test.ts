import { expect, it } from 'vitest';
import type { Attachment } from '../../../../src/model/prompt.ts';
import { attachmentLine } from '../../../../src/view/transcript/attachments.ts';
import { rightTextOf } from '../../../support/entry-lines.ts';

const file: Attachment = {
  kind: 'file',
  start: 0,
  end: 0,
  uri: 'file:///shop/src/orders/total.ts',
  name: 'src/orders/total.ts',
  size: 2_048,
};

it.each<[number | undefined, string]>([
  [undefined, '  ▪ src/orders/total.ts'],
  [22, '  ▪ …ers/total.ts'],
  [10, '  ▪ …otal.ts'],
])('a line of an attachment has room for its size in %s cells', (width, expected) => {
  const line = attachmentLine(file, width);
  expect(line.text).toBe(expected);
  expect(rightTextOf(line)).toBe('2 KB');
});

it('a line of an attachment has the beginning of a title that does not fit', () => {
  const conversation: Attachment = { ...file, uri: 'acp:1', name: 'conversation "Fix the login"' };
  expect(attachmentLine(conversation, 30).text).toBe('  ▪ conversation "Fix th…');
});

it.each<[Attachment['sentAs'], string]>([
  ['link', 'linked'],
  ['name', 'name only'],
])('a line of an attachment says that only its %s was sent', (sentAs, expected) => {
  const line = attachmentLine({ ...file, sentAs }, 22);
  expect(rightTextOf(line)).toBe(expected);
  expect(line.text).toMatch(/^ {2}▪ ….*\.ts$/);
});
