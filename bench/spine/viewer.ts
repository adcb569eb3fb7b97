// What the feed of 100,000 memories costs the page that scrolls it, beside the feed of an empty memory, in turns; and what the first screen loads.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type CDPSession, chromium, type Page } from '@playwright/test';
import { findChromium } from '../../scripts/chromium.ts';
import { callApi } from '../../src/client/api.ts';
import { longestTask, readHeap, scrollPast } from '../../test/support/page-cost.ts';
import { until } from '../../test/support/until.ts';
import { atMost, type BenchDeps, type Benchmark, check, type Figure } from './benchmark.ts';
import { median } from './quantile.ts';

export const viewer: Benchmark = {
  name: 'viewer',
  about: 'the feed of 100,000 memories scrolled in Chromium, and that of none, in turns; memory of the page, size of the first screen',
  run: measureViewer,
};

const MEMORIES = 100_000;
const MINUTES_BETWEEN = 3;
const ROWS_PER_LEG = 700;
const GOAL_TASK_MS = 50;
const GOAL_HEAP_MB = 20;
const GOAL_KB = 200;
const GOAL_REQUESTS = 12;

type Scene = { page: Page; client: CDPSession; longestMs: number[]; rows: number; first: { bytes: number; requests: number } };

async function measureViewer(deps: BenchDeps): Promise<Figure[]> {
  const browser = await chromium.launch({ executablePath: await findChromium(), args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const [full, empty] = [await openScene(deps, browser, MEMORIES), await openScene(deps, browser, 0)];
    for (let leg = 0; leg < (deps.isQuick ? 3 : 12); leg++) {
      const frames = await scrollLeg(full, Number.MAX_SAFE_INTEGER);
      await scrollLeg(empty, frames);
    }
    check(full.rows >= full.longestMs.length * ROWS_PER_LEG, `only ${full.rows} rows went by`);
    return [describeTasks(full, empty), await describeHeap(full, empty), describeFirst(full)];
  } finally {
    await browser.close();
  }
}

async function openScene({ built, makeHome }: BenchDeps, browser: Browser, memories: number): Promise<Scene> {
  const home = makeHome();
  mkdirSync(home.paths.dataDir, { recursive: true, mode: 0o700 });
  // Vectors of all of it would take minutes, and the feed has no use for them.
  writeFileSync(home.paths.config, JSON.stringify({ embedder: 'off' }), { mode: 0o600 });
  const fill = join(import.meta.dir, '../../test/browser/fill.ts');
  const filled = spawnSync(built.bun, [fill, home.paths.database, String(memories), String(MINUTES_BETWEEN)], { encoding: 'utf8' });
  check(filled.status === 0, `the memory was not filled: ${filled.stderr}`);
  await home.startWorker();
  const link = await until(async () => {
    const answer = await callApi(home.paths, '/api/token/link', { method: 'POST' }).catch(() => null);
    return answer !== null && typeof answer === 'object' && 'url' in answer && answer.url;
  });
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' })).newPage();
  const { origin, hash } = new URL(String(link));
  const first = await countFirst(page, `${origin}/${hash}`);
  await page.goto(`${origin}/view/feed`);
  await page
    .locator(memories > 0 ? 'article.line' : '.empty')
    .first()
    .waitFor();
  return { page, client: await page.context().newCDPSession(page), longestMs: [], rows: 0, first };
}

/** All that the first page asks for; the stream never ends, and is not counted. */
async function countFirst(page: Page, url: string): Promise<Scene['first']> {
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    if (!request.url().endsWith('/stream')) sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  await page.goto(url, { waitUntil: 'load' });
  await page.locator('[data-connection="live"]').waitFor({ state: 'attached' });
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.locator('.did, .start').first().waitFor();
  page.removeAllListeners('requestfinished');
  const known = await Promise.all(sizes);
  return { bytes: known.reduce((sum, size) => sum + size, 0), requests: known.length };
}

async function scrollLeg(scene: Scene, frames: number): Promise<number> {
  let drawn = 0;
  const work = async () => {
    const passed = await scrollPast(scene.page, ROWS_PER_LEG, frames);
    drawn = passed.frames;
    scene.rows += passed.rows;
  };
  scene.longestMs.push(await longestTask(scene.client, work));
  return drawn;
}

function describeTasks(full: Scene, empty: Scene): Figure {
  const [usual, most, none] = [median(full.longestMs), Math.max(...full.longestMs), median(empty.longestMs)];
  const least = Math.min(...full.longestMs);
  return {
    what: `longest task while ${full.rows.toLocaleString('en')} of ${MEMORIES.toLocaleString('en')} memories scroll by`,
    figure: `${[least, usual, most].map((ms) => ms.toFixed(0)).join(', ')} ms of CPU (least, median, most of ${full.longestMs.length} legs)`,
    ratio: { value: usual / none, to: 'an empty page' },
    goal: atMost(Number(most.toFixed(1)), GOAL_TASK_MS, ' ms in each'),
    values: { least, median: usual, most, empty: none },
  };
}

async function describeHeap(full: Scene, empty: Scene): Promise<Figure> {
  const [mb, none] = [await readHeap(full.client), await readHeap(empty.client)];
  return {
    what: 'memory of that page afterwards',
    figure: `${mb.toFixed(1)} MB (nothing remembered: ${none.toFixed(1)} MB)`,
    ratio: { value: mb / none, to: 'an empty page' },
    goal: atMost(Number(mb.toFixed(1)), GOAL_HEAP_MB, ' MB'),
    values: { mb, empty: none },
  };
}

function describeFirst({ first: { bytes, requests } }: Scene): Figure {
  const kb = Math.ceil(bytes / 1000);
  const goal = atMost(kb, GOAL_KB, ` KB, ${GOAL_REQUESTS} requests`);
  return {
    what: 'first screen of the viewer',
    figure: `${kb} KB in ${requests} requests`,
    ratio: null,
    goal: goal && { ...goal, isReached: goal.isReached && requests <= GOAL_REQUESTS },
    values: { kb, requests },
  };
}
