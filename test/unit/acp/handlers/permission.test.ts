import { expect, it } from 'vitest';
import { quirksOf } from '../../../../src/acp/decode/quirks.ts';
import { askPermission } from '../../../../src/acp/handlers/permission.ts';
import { SessionRouter } from '../../../../src/acp/handlers/session-router.ts';
import { SinkDouble } from '../../../support/doubles/sink.ts';

it('rejects a permission request with more options than anybody reads', async () => {
  const router = new SessionRouter();
  router.attach('s', new SinkDouble());
  const options = Array.from({ length: 10_000 }, (_, at) => ({
    ...{ optionId: `o${at}`, name: 'Reject', kind: 'allow_always' },
  }));
  const params = { sessionId: 's', toolCall: { toolCallId: 't', title: 'ls' }, options };
  const asked = askPermission(params, new AbortController().signal, { router, quirks: quirksOf(undefined) });
  await expect(asked).rejects.toMatchObject({ code: 'bad_params' });
});
