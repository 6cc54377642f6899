import fs from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { it } from '../support/agents/agent-harness.ts';
import { aScenario } from '../support/agents/session-scenario.ts';

const notice = 'Tester 1 runs on Node 20.1.0; its current releases need Node';

describe.concurrent('an agent that needs a newer Node than it runs on', () => {
  it.for<[node: string | undefined, isReported: boolean]>([
    ['22', true],
    ['20.2', true],
    ['20.1', false],
    ['20', false],
    [undefined, false],
  ])('is reported after the handshake if it needs Node %s: %s', async ([node, isReported], { harness }) => {
    const folder = path.join(harness.folder, 'bin');
    fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, 'node'), '#!/bin/sh\necho v20.1.0\n', { mode: 0o755 });
    const env = { ...harness.env, PATH: `${folder}:${process.env.PATH}` };
    const install = 'npm install -g tester';
    const spec = { env, install, ...(node !== undefined && { node }) };
    const scenario = aScenario(harness, { spec });
    await scenario.begin();
    const titles = scenario.state.entries.flatMap((entry) => (entry.kind === 'notice' ? [entry] : []));
    expect(titles.map(({ title }) => title)).toEqual(isReported ? [`${notice} ${node}.`] : []);
    if (isReported) expect(titles[0]?.hint).toContain(`then run "${install}" with it`);
  });
});
