// What it costs to make a git log memory, and what is found in it.
//
// A repository of 1,654 real commit messages is generated, read as the worker reads it, and asked in other words than the commits use.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { readHead } from '../../src/git/identity.ts';
import { readLog } from '../../src/git/log.ts';
import { createGitMemory } from '../../src/import/git-memory.ts';
import { readLogHead } from '../../src/memory/git-log.ts';
import { ENGINES } from '../../src/search/embed/engines.ts';
import type { Finder } from '../../src/search/find.ts';
import { searchMemories } from '../../src/search/search.ts';
import { CAPTURE_ALL } from '../../test/support/capture-settings.ts';
import { ASSETS, type Bank, createBank } from '../retrieval/bank.ts';
import { readData } from '../retrieval/read-data.ts';
import { atLeast, atMost, type BenchDeps, type Benchmark, check, type Figure } from '../spine/benchmark.ts';
import { quantile } from '../spine/quantile.ts';
import { type CommitText, createLogRepository, type LogRepository } from './log-repository.ts';
import { QUESTIONS } from './questions.ts';

export const gitLog: Benchmark = {
  name: 'git',
  about: 'the log of a repository with 1,654 real commit messages: read, asked, and read on (needs --data)',
  run: measureGitLog,
};

const FILE = 'boltons-commits.json';

const Commits = z.array(z.object({ hash: z.string(), date: z.string(), subject: z.string(), body: z.string() }));
const IMPORT_GOAL_S = 10;
const AGAIN_GOAL_MS = 500;
const SLICE_GOAL_MS = 50;
const FOUND_GOAL = 0.75;
const AMONG = 5;

async function measureGitLog({ data, isQuick, say }: BenchDeps): Promise<Figure[]> {
  const texts = readData(data, FILE, Commits);
  if (!texts) {
    say(`passed over: there is no ${FILE} in ${data}; name its folder with --data`);
    return [];
  }
  const folder = mkdtempSync(join(tmpdir(), 'cmem-log-'));
  const bank = createBank();
  // As the worker does it: every slice is on the disk before the next.
  bank.db.run('PRAGMA synchronous = FULL');
  try {
    say(`a repository of ${texts.length} commits`);
    const repository = createLogRepository(folder);
    repository.add(texts.toReversed());
    const read = await measureReading(bank, folder, texts.length);
    say('embedding');
    const finder = await bank.index(ENGINES[isQuick ? 'static' : 'minilm'].load(ASSETS));
    const found = await measureFinding(finder, bank, texts, say);
    return [...read, ...found, ...(await measureNew(bank, folder, repository))];
  } finally {
    await bank.close();
    rmSync(folder, { recursive: true });
  }
}

const openMemory = ({ db }: Bank) => {
  const nothing = () => undefined;
  const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  const config = () => ({ ...CAPTURE_ALL, gitCommits: 5000 });
  return createGitMemory({ db, config, log, clock: Date.now, home: null, onStored: nothing });
};

async function measureReading(bank: Bank, root: string, commits: number): Promise<Figure[]> {
  const memory = openMemory(bank);
  const lags: number[] = [];
  let lastAt = performance.now();
  const pulse = setInterval(() => {
    const now = performance.now();
    lags.push(now - lastAt - PULSE_MS);
    lastAt = now;
  }, PULSE_MS);
  const startedAt = performance.now();
  const { added } = await memory.readNow(root);
  const seconds = (performance.now() - startedAt) / 1000;
  clearInterval(pulse);
  await memory.close();
  check(added > commits * 0.99, `${added} of ${commits} commits became memories`);
  const lag = quantile(lags, 0.95);
  return [
    figure(
      `log of ${commits} commits read`,
      `${seconds.toFixed(1)} s, ${Math.round(added / seconds)} a second`,
      atMost(seconds, IMPORT_GOAL_S, ' s'),
      { seconds, added },
    ),
    figure('the event loop meanwhile', `p95 late by ${lag.toFixed(1)} ms`, atMost(lag, SLICE_GOAL_MS, ' ms'), {
      lag,
      most: Math.max(...lags),
    }),
  ];
}
const PULSE_MS = 10;

async function measureFinding(finder: Finder, { db }: Bank, texts: CommitText[], say: (line: string) => void): Promise<Figure[]> {
  let [first, among] = [0, 0];
  for (const { asks, hash } of QUESTIONS) {
    const wanted = texts.find((text) => text.hash === hash);
    check(wanted !== undefined, `there is no commit ${hash}`);
    const search = {
      query: asks,
      filters: { projectIds: null },
      order: 'relevance',
      limit: AMONG,
      offset: 0,
      why: false,
    } as const;
    const { results } = await searchMemories(finder, search);
    const rank = results.findIndex(({ id, alike }) => [id, ...alike].some((one) => isOf(db, Number(one), wanted)));
    if (rank === 0) first++;
    if (rank >= 0) among++;
    else say(`not among the first ${AMONG}: ${asks} (${hash})`);
  }
  const share = among / QUESTIONS.length;
  return [
    figure(`a commit found by meaning among the first ${AMONG}`, `${among} of ${QUESTIONS.length}`, atLeast(share, FOUND_GOAL, ''), {
      among,
      first,
    }),
    figure('as the first', `${first} of ${QUESTIONS.length}`, null, { first }),
  ];
}

const isOf = (db: Bank['db'], id: number, { date }: CommitText) =>
  db.query('SELECT 1 FROM observations WHERE id = ? AND created_at_epoch = ?').get(id, Date.parse(date)) !== null;

async function measureNew(bank: Bank, root: string, repository: LogRepository): Promise<Figure[]> {
  const date = new Date().toISOString();
  repository.add([1, 2, 3].map((n) => ({ hash: '', date, subject: `benchutils: new commit ${n}`, body: '' })));
  const head = readHead(root).commit ?? '';
  const known = [readLogHead(bank.db, root) ?? ''];
  const heard = await readLog({ root, head, known, most: 5000, within: null, signal: new AbortController().signal });
  const memory = openMemory(bank);
  const startedAt = performance.now();
  const { added } = await memory.readNow(root);
  const ms = performance.now() - startedAt;
  await memory.close();
  check(heard?.length === 3 && added === 3, `${heard?.length} were read and ${added} added instead of 3`);
  return [
    figure('HEAD moved by 3 commits', `${added} read, ${ms.toFixed(0)} ms`, atMost(ms, AGAIN_GOAL_MS, ' ms'), {
      ms,
      added,
    }),
  ];
}

const figure = (what: string, text: string, goal: Figure['goal'], values: Record<string, number>): Figure => ({
  what,
  figure: text,
  ratio: null,
  goal,
  values,
});
