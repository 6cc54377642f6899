import v8 from 'node:v8';
import vm from 'node:vm';
import { expect, it } from 'vitest';
import { emptySession } from '../../../../src/model/session.ts';
import { reduce } from '../../../../src/session/reducer/reducer.ts';
import { ToolDiffCache } from '../../../../src/view/diff/tool-diff-cache.ts';
import { aToolCall } from '../../../support/builders.ts';
import { toolOf } from '../../../support/session-events.ts';

function drawn(cache: ToolDiffCache, path: string, length: number): WeakRef<object> {
  const state = emptySession('tester', 0);
  const content = [{ kind: 'diff', path, oldText: undefined, newText: 'x'.repeat(length) } as const];
  reduce(state, aToolCall({ toolKind: 'edit', content }), 0);
  cache.of(toolOf(state));
  return new WeakRef(content[0]!);
}

it('long changes do not stay in memory because they may be repeated', async () => {
  v8.setFlagsFromString('--expose-gc');
  const collectGarbage = vm.runInNewContext('gc') as () => void;
  const cache = new ToolDiffCache();
  const changes = [3_000_000, 3_000_000, 3_000_000, 10].map((length, index) =>
    drawn(cache, `/${index}`, length),
  );
  // A reference is kept until the end of the turn of events that made it.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(changes.map((change) => change.deref() !== undefined)).toEqual([false, false, true, true]);
});
