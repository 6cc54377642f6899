import { describe, expect } from 'vitest';
import { quirksOf } from '../../../src/acp/quirks.ts';
import { it } from '../../support/agent-it.ts';
import { speech, stage } from '../../support/stage.ts';

describe.concurrent('fs', () => {
  it('manner 29: refuses a write that it never offered, and the turn goes on', async ({ workshop }) => {
    const params = { sessionId: 's1', path: '/shop/list.txt', content: 'milk' };
    const played = stage(
      workshop,
      { expect: 'session/prompt', say: [{ id: 0, method: 'fs/write_text_file', params }] },
      { expect: 'answer', say: [speech('Then I write it myself.')] },
    );
    played.session.send('go');
    await played.shows('Then I write it myself.');
    expect(played.answers).toMatchObject([{ id: 0, error: { code: -32601 } }]);
  });

  it('manner 30: knows of gemini that a missing file has to be empty', () => {
    expect(quirksOf('gemini-cli').emptyForMissingFile).toBe(true);
    expect(quirksOf('scripted').emptyForMissingFile).toBeUndefined();
    expect(quirksOf('constructor')).toEqual({});
  });

  it.todo('manner 29: writes a file for an agent that was offered it');
  it.todo('manner 30: reads a missing file as an empty one, for gemini only');
  it.todo(
    'manner 31: answers a missing file with a quiet error; takes limit, bom, encoding and line endings',
  );
  it.todo('manner 27: runs terminals for agents, and keeps showing their output after the release');
});
