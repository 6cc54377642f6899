import {
  boolean,
  either,
  listOf,
  nothing,
  number,
  oneOf,
  optional,
  type Parse,
  shape,
  text,
} from '../base/parse.ts';
import type { EditorOperation, EditorOperations } from '../ports/editor-operations.ts';

/** How the answer of each operation is read. */
type Answers = { readonly [Op in EditorOperation]: Parse<EditorOperations[Op]['answer']> };

const buffer = shape({
  buf: number,
  tick: number,
  isModified: boolean,
  time: text,
  isCurrent: boolean,
  isOpaque: optional(boolean),
  trouble: optional(text),
  joined: optional(text),
  isKnown: boolean,
  marks: optional(number),
  ending: oneOf('\n', '\r\n', '\r'),
  isEnded: boolean,
  hasBom: boolean,
});

/** A file that is open in Neovim. */
export const openFile = shape({ path: text, stamp: text, isModified: boolean, isCurrent: boolean });

export const answers: Answers = {
  'host.answer': nothing,
  'user.notify': nothing,

  'chat.draw': either(oneOf('drawn', 'stale', 'gone'), shape({ failure: text })),
  'chat.state': nothing,
  'chat.create': nothing,
  'chat.show': nothing,
  'chat.notify': nothing,
  'chat.status': nothing,
  'event.emit': nothing,
  'chat.unknown': nothing,
  'chat.end': nothing,

  'context.read': nothing,
  'prompt.accepted': nothing,
  'mentions.found': nothing,
  'prompt.recall': nothing,
  'history.set': nothing,
  'prompt.done': nothing,
  'prompt.return': nothing,
  'prompt.state': nothing,
  'queue.restored': nothing,
  'prompt.begin': nothing,
  'prompt.add': nothing,

  'picker.open': nothing,
  'input.open': nothing,
  'question.waiting': nothing,
  'conflict.open': nothing,
  'conflict.close': nothing,
  'browser.open': nothing,
  'prompt.insert': nothing,
  'media.open': nothing,
  'text.show': nothing,
  'text.copy': nothing,
  'login.ask': nothing,
  'login.run': nothing,

  'files.check': nothing,
  'file.open': nothing,
  'follow.to': nothing,
  'diff.open': nothing,
  'review.open': nothing,
  'review.show': nothing,
  'review.quickfix': nothing,
  'restore.preview': nothing,
  'restore.read': nothing,
  'restore.close': nothing,
  'decision.done': nothing,

  'buffer.read': optional(buffer),
  'buffer.read_all': listOf(shape({ buffer: optional(buffer) })),
  'buffer.write_target': shape({ buffer: optional(buffer), otherEditor: optional(shape({ pid: number })) }),
  'buffer.change': shape({
    status: oneOf('saved', 'kept', 'changed', 'busy', 'failed'),
    reason: optional(text),
    formatted: optional(listOf(text)),
  }),
  'buffer.sync': oneOf('done', 'changed', 'busy'),
  'buffer.files': listOf(openFile),
  'buffer.watch': nothing,
  'buffer.drop': nothing,

  'terminal.open': optional(shape({ columns: number, rows: number })),
  'terminal.write': oneOf('written', 'gone'),
  'terminal.ended': nothing,
  'traffic.add': optional(oneOf('shown', 'gone')),

  'agents.pick': nothing,
  'agents.open': nothing,

  'extension.request': nothing,
  'extension.forget': nothing,
  'extension.notification': nothing,
  'extension.answered': nothing,
};
