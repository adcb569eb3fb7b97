// Decisions, discoveries, deeds, summaries and titles of whole turns.
import { describe, expect, test } from 'bun:test';
import { observeLocally } from '../../../src/observer/local/observe.ts';
import {
  ask,
  batch,
  compaction,
  create,
  edit,
  end,
  fails,
  observe,
  plan,
  prompt,
  read,
  report,
  run,
  stop,
  todos,
  web,
} from './script.ts';

describe('decisions', () => {
  test('of the user come from corrections and constraints', () => {
    const { observations } = observe([
      prompt("No, use pnpm instead of npm. And don't touch the lockfile."),
      stop('Understood.'),
    ]);
    expect(observations.map((one) => [one.type, one.origin, one.title])).toEqual([
      ['decision', 'user', 'Use pnpm instead of npm'],
      ['decision', 'user', "Don't touch the lockfile"],
    ]);
  });

  test('of the user come from answers, with the options that were not taken', () => {
    const { observations } = observe([
      prompt('set up CI'),
      ask('Which CI should we use?', 'GitHub Actions', ['GitHub Actions', 'CircleCI']),
      stop('ok'),
    ]);
    expect(observations[0]).toMatchObject({
      type: 'decision',
      origin: 'user',
      title: 'Which CI should we use? → GitHub Actions',
    });
    expect(observations[0]?.facts[1]?.text).toBe('Rejected: CircleCI.');
  });

  test('of the user come from an approved plan, not from a rejected one', () => {
    const text =
      '# Plan: move to Deno\n\n## Goal\nRun without node_modules.\n\n- Replace the bundler with deno bundle\n';
    expect(observe([prompt('plan it'), plan(text), stop('ok')]).observations[0]?.title).toBe(
      'Plan approved: move to Deno',
    );
    expect(
      observe([prompt('plan it'), plan(text, 'User chose to stay in plan mode'), stop('ok')]).observations,
    ).toEqual([]);
  });

  test('of the agent have a reason and what was rejected', () => {
    const { observations } = observe([
      prompt('store the queue'),
      stop('I chose SQLite over Redis because users should not need a server.'),
    ]);
    expect(observations[0]).toMatchObject({
      type: 'decision',
      origin: 'agent',
      title: 'Chose SQLite over Redis because users should not need a server',
    });
    expect(observations[0]?.facts.map((fact) => fact.text)).toContain('Rejected: Redis.');
  });

  test('are read from compaction summaries too', () => {
    const { observations } = observe([
      compaction('### Key decisions\n- Names are kebab-case\n\n### Pending tasks\n- Windows'),
      prompt('go on'),
    ]);
    expect(observations.map((one) => one.title)).toEqual(['Names are kebab-case']);
  });
});

describe('discoveries', () => {
  test('answer a question with the finding as title and the files read', () => {
    const { observations } = observe([
      prompt('how does the middleware know public routes?'),
      read('src/routes.ts'),
      stop('Public routes are decided by the `public` flag in `src/routes.ts`, not by the path.'),
    ]);
    expect(observations).toHaveLength(1);
    expect(observations[0]).toMatchObject({ type: 'discovery', filesRead: ['src/routes.ts'] });
    expect(observations[0]?.title).toBe(
      'Public routes are decided by the public flag in src/routes.ts, not by the path',
    );
  });

  test('of a subagent name it', () => {
    const { observations } = observe([
      prompt('where do we leak memory?'),
      report('Explore', 'The root cause is the missing unsubscribe in `useStream`.'),
      stop('See above.'),
    ]);
    expect(observations[0]).toMatchObject({
      title: 'The root cause is the missing unsubscribe in useStream',
      subtitle: 'Found by the subagent Explore',
    });
  });

  test('that rest on web pages alone are marked so', () => {
    const { observations } = observe([
      prompt('what changed in vite 6?'),
      web('https://vite.dev'),
      stop('It turns out that Vite 6 drops the Node polyfills.'),
    ]);
    expect(observations[0]?.origin).toBe('web');
  });

  test('tell of a check left failing', () => {
    const { observations } = observe([
      prompt('run the tests'),
      fails('pytest', 'FAILED t.py::test_a - assert 1 == 2\n1 failed in 0.1s'),
      stop(''),
    ]);
    expect(observations[0]).toMatchObject({
      type: 'discovery',
      outcome: 'failed',
      title: 'pytest: 1 failed: t.py::test_a — assert 1 == 2',
    });
  });
});

describe('deeds', () => {
  test.each([
    [run('npm install zod@3.22.4'), 'Add zod 3.22.4 (npm)'],
    [run('git merge topic', 'Merge made by the ort strategy.'), 'Merge topic'],
    [run('npx prisma migrate deploy', 'applied'), 'Run migration: prisma migrate deploy'],
  ])('without other work are told by themselves', (deed, title) => {
    expect(observe([prompt('go'), deed, stop('Done.')]).observations.map((one) => one.title)).toEqual([title]);
  });

  test('an install that changes nothing is not told', () => {
    expect(observe([prompt('go'), run('npm install', 'up to date'), stop('Done.')]).observations).toEqual([]);
  });
});

describe('the summary', () => {
  test('has request, files, results, next steps and decisions', () => {
    const { summary } = observe([
      prompt('<ide_opened_file>x</ide_opened_file>Add CSV export'),
      read('src/orders.ts'),
      create('src/csv.ts', 'export function toCsv() {'),
      run('bun test', ' 13 pass\n 0 fail'),
      todos(['completed', 'Write the CSV'], ['pending', 'Document the endpoint']),
      stop(
        'Added `toCsv`. I went with a semicolon because Excel expects it.\n\n**Remaining**\n- Stream large exports\n\nLet me know if you need more!',
      ),
    ]);
    expect(summary).toMatchObject({
      request: 'Add CSV export',
      investigated: 'Read src/orders.ts.',
      nextSteps: '- Document the endpoint\n- Stream large exports',
      filesRead: ['src/orders.ts'],
      filesEdited: ['src/csv.ts'],
    });
    expect(summary?.completed).toStartWith('Added `toCsv`.');
    expect(summary?.notes).toStartWith('bun test: 13 passed. Decided: Went with a semicolon');
  });

  test('is made only when the turn ended', () => {
    expect(observe([prompt('hi'), run('ls')]).summary).toBeNull();
    expect(observe([prompt('hi'), end()]).summary).not.toBeNull();
  });

  test('drops a todo that was completed in the meantime', () => {
    const { summary } = observe(
      [prompt('go on'), todos(['completed', 'Write it']), stop('ok')],
      [todos(['pending', 'Write it'])],
    );
    expect(summary?.nextSteps).toBeNull();
  });
});

describe('the session', () => {
  test('is titled by its first prompt and subtitled by what came of it', () => {
    const { title, subtitle } = observe([
      prompt('read plan.md. We are going to build the importer.'),
      edit('src/importer.ts', '+x'),
      run('git commit -am "Import transcripts"', '[main abc1234] Import transcripts'),
      stop('Done.'),
    ]);
    expect([title, subtitle]).toEqual(['Build the importer', 'Import transcripts']);
  });

  test('keeps the title it has', () => {
    expect(observeLocally(batch([prompt('now the docs'), stop('ok')], [], { title: 'Importer' })).title).toBe(
      'Importer',
    );
  });
});

test('several turns in one batch are read one by one', () => {
  const { observations } = observe([
    prompt('Add CSV export'),
    create('src/csv.ts', 'export function toCsv() {'),
    stop('Added `toCsv` to the exporter.'),
    prompt('Add PDF export'),
    create('src/pdf.ts', 'export function toPdf() {'),
    stop('Added `toPdf` to the exporter.'),
    end(),
  ]);
  expect(observations.map((one) => one.title)).toEqual(['Add toCsv to the exporter', 'Add toPdf to the exporter']);
});

test('two long lines that begin alike are not told as a change of the beginning', () => {
  const line = `  register(app, { ${Array.from({ length: 40 }, (_, at) => `option${at}`).join(', ')}`;
  const { observations } = observe([
    prompt('register the last option as well'),
    edit('src/index.ts', `-${line} });`, `+${line}, last });`),
    stop('Done: the last option is registered, too.'),
  ]);
  const texts = observations.flatMap(({ title, subtitle, facts }) => [
    title,
    subtitle,
    ...facts.map(({ text }) => text),
  ]);
  expect(texts.filter((text) => /(\S.{8,}) → .?\1/.test(text ?? ''))).toEqual([]);
  expect(texts.join('\n')).toContain('src/index.ts');
});
