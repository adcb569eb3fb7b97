// Two projects whose folders have the same name, worked on at the same time, know nothing of each other.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { expectUndisturbed, startReports } from './hook-reports.ts';
import { createSandbox, type Sandbox, TEST_TIMEOUT_MS } from './sandbox.ts';
import { addFeature, sayOnly } from './work-scripts.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox();
});

afterAll(() => sandbox.close());

test('two runs at once in folders of the same name do not mix', async () => {
  const projects = [
    { repo: sandbox.makeRepo('one/shop'), word: 'anchovy', foreign: 'bergamot' },
    { repo: sandbox.makeRepo('two/shop'), word: 'bergamot', foreign: 'anchovy' },
  ];
  for (const { repo, word } of projects) sandbox.mock.scripts.set(word, addFeature(repo, word));
  sandbox.mock.scripts.set('look', sayOnly('I see.'));

  const runBoth = (turn: (word: string) => string) =>
    Promise.all(projects.map(({ repo, word }) => sandbox.run({ cwd: repo, turns: [turn(word)] })));
  for (const run of await runBoth((word) => `[[mock:${word}]] Please add ${word}`)) expectUndisturbed(run);
  const next = await runBoth(() => '[[mock:look]] Where were we?');

  for (const [index, { word, foreign }] of projects.entries()) {
    const run = next[index] ?? expect.unreachable('both ran');
    expectUndisturbed(run);
    expect(startReports(run)[0]?.context).toContain(word);
    expect(startReports(run)[0]?.context).not.toContain(foreign);
  }
});
