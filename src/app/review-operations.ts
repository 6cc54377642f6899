import { flag, number, oneOf, optional, text } from '../base/parse.ts';
import { type HostOperation, inChat, inOpenChat } from './host-operation.ts';

const cursor = { row: number, line: optional(number), moves: number };

/** What Neovim sends about the review of changes and about checkpoints. */
export const reviewOperations: Readonly<Record<string, HostOperation>> = {
  'review.open': inChat(
    'open the review',
    { scope: oneOf('session', 'turn'), path: optional(text) },
    (chat, { scope, path }) => chat.review.open(scope, path),
  ),
  'review.hide': inOpenChat('close the review', {}, (chat) => chat.review.close()),
  'review.choose': inChat('show the file', { line: number }, (chat, { line }) => chat.review.choose(line)),
  'review.go': inChat(
    'go to the next change',
    { steps: number, ...cursor },
    (chat, { steps, row, line, moves }) => chat.review.go(steps, { row, line, moves }),
  ),
  'review.decide': inChat(
    'keep or reject the change',
    { verdict: oneOf('keep', 'reject'), what: oneOf('hunk', 'file', 'all'), ...cursor },
    (chat, { verdict, what, row, line, moves }) => chat.review.decide(verdict, what, { row, line, moves }),
  ),
  'review.confirm': inChat('write outside of the folders', { ask: number }, (chat, { ask }) =>
    chat.review.confirmOutside(ask),
  ),
  'review.undo': inChat('undo the decision', {}, (chat) => chat.review.undo()),
  'review.redraw': inOpenChat('draw the review', {}, (chat) => chat.review.redrawList()),
  'review.refresh': inOpenChat('update the review', {}, (chat) => chat.review.refresh()),
  'review.quickfix': inChat('list the changes', {}, (chat) => chat.review.quickfix()),
  'review.prompt': inChat('put the rejected changes into the prompt', {}, (chat) =>
    chat.review.promptRejections(),
  ),
  'restore.show': inChat('list the checkpoints', { all: flag }, (chat, { all }) => chat.restore.show(all)),
  'restore.plan': inChat('show what would be restored', { checkpoint: number }, (chat, { checkpoint }) =>
    chat.restore.plan(checkpoint),
  ),
  'restore.read': inChat('show what would be restored', { checkpoint: number }, (chat, { checkpoint }) =>
    chat.restore.read(checkpoint),
  ),
  'restore.run': inChat('restore the files', { checkpoint: number, all: flag }, (chat, { checkpoint, all }) =>
    chat.restore.apply(checkpoint, all),
  ),
  'restore.undo': inChat('undo the restore', {}, (chat) => chat.restore.undo()),
  'restore.leave': inChat('close the diff', {}, (chat) => chat.restore.leave()),
};
