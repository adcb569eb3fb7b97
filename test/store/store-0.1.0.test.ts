// A store made by 0.1.0, opened by the worker of today: it must still answer what stands in its list.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  COUNTS,
  FORGOTTEN,
  GONE,
  HIDDEN,
  PROJECTS,
  SEARCHES,
  SHOWN,
  STARTS,
  TIMELINE,
  TOLD,
  WAITING,
} from '../fixtures/store-0.1.0/answers.ts';
import { sessionStart, stop } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
let opened: { observations: number; summaries: number; queue: { depth: number; spooled: number }; problems: string[] };

beforeAll(async () => {
  sandbox = createSandbox();
  const dataDir = sandbox.paths.dataDir;
  cpSync(join(import.meta.dir, '../fixtures/store-0.1.0/data'), dataDir, { recursive: true });
  chmodSync(dataDir, 0o700);
  await sandbox.startWorker();
  opened = await ask('status');
});
afterAll(() => sandbox.dispose());

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at field by field.
const ask = async (...args: string[]): Promise<any> => JSON.parse((await sandbox.cli(...args, '--json')).stdout);
const say = async (...args: string[]) => (await sandbox.cli(...args)).stdout;

describe('a store of 0.1.0', () => {
  test('is opened with all that it held, and nothing is wrong with it', () => {
    const { observations, summaries, queue, problems } = opened;
    expect(summaries).toBe(COUNTS.summaries);
    // What waited for longer than a silence is one more observation by now.
    expect([observations, queue.depth]).toEqual(queue.depth > 0 ? [COUNTS.observations, COUNTS.waiting] : [COUNTS.observations + 1, 0]);
    expect(queue.spooled).toBe(0);
    expect(problems).toEqual([]);
  });

  test.each(SEARCHES)('finds in $in: $asks', async ({ in: project, asks, finds, says }) => {
    const { results } = await ask('search', asks, '--project', project);
    const found = results.slice(0, 5).find(({ id }: { id: string }) => id === finds);
    expect(found?.title).toContain(says);
  });

  test.each(SHOWN)('shows $id', async ({ id, says }) => {
    const shown = await say('show', id);
    for (const words of says) expect(shown).toContain(words);
  });

  test.each(TOLD)('tells the next session in $project', async ({ project, says, isSilentOn }) => {
    const told = await say('context', '--preview', '--project', project);
    for (const words of says) expect(told).toContain(words);
    for (const words of [...isSilentOn, ...GONE]) expect(told).not.toContain(words);
  });

  test.each(STARTS)('knows the folder $cwd', async ({ cwd, says }) => {
    const { stdout } = await sandbox.hook('context', sessionStart(`now-${cwd}`, cwd));
    expect(stdout).toContain(says);
  });

  test('has its projects', async () => {
    const { projects } = await ask('projects');
    expect(projects.map(({ project }: { project: string }) => project).toSorted()).toEqual(PROJECTS);
  });

  test('has its order in time', async () => {
    const shown = await say('timeline', TIMELINE.around, '--project', TIMELINE.project, '--before', '20', '--after', '20');
    const ids = [...shown.matchAll(/^(\w+)\t/gm)].map((match) => match[1]);
    expect(ids.filter((id) => TIMELINE.ids.includes(id ?? ''))).toEqual(TIMELINE.ids);
  });

  test('keeps hidden what was hidden', async () => {
    const hidden = await say('forget', '--hidden');
    for (const id of HIDDEN) expect(hidden).toContain(`\n${id}\t`);
    const { results } = await ask('search', 'requests a second', '--all');
    for (const id of HIDDEN) expect(results.map((one: { id: string }) => one.id)).not.toContain(id);
  });

  test('takes up what waited', async () => {
    await sandbox.hook('summary', stop(WAITING.session, WAITING.cwd, 'The basket shows the delivery date.'));
    const find = () => ask('search', '--file', WAITING.file, '--type', 'change,feature,bugfix', '--all');
    await until(async () => (await find()).results.length > 0);
    await until(async () => (await ask('status')).queue.depth === 0);
  });

  test('holds nothing of what is gone, also when it is sent again', async () => {
    await sandbox.hook('new', FORGOTTEN);
    for (const word of GONE) {
      const { results } = await ask('search', word, '--all');
      expect(JSON.stringify(results)).not.toContain(word);
    }
    const isIn = (file: string) => GONE.filter((word) => readFileSync(file, 'latin1').toLowerCase().includes(word.toLowerCase()));
    for (const file of listFiles(sandbox.paths.dataDir)) expect([file, isIn(file)]).toEqual([file, []]);
  });
});

function listFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
  return entries.filter((path) => statSync(path).isFile());
}
