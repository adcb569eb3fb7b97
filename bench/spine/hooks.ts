// Each hook command as a real process against a warm worker, beside the bare runtime and the barest process there is.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOOK_COMMANDS, type HookCommand } from '../../src/core/envelope.ts';
import { until } from '../../test/support/until.ts';
import { atMost, type BenchDeps, type Benchmark, check, type Figure } from './benchmark.ts';
import { fillStore } from './fill-store.ts';
import { describeParts, makePartVariants } from './hook-parts.ts';
import { createPastRepository } from './past-repository.ts';
import { type BenchSession, createBenchSession, type HookCall, makeText, makeTextOf, TEXT_KINDS } from './payloads.ts';
import { formatMs, median, quantile } from './quantile.ts';
import { cpuOf, measureRounds, type Timed, type Variant } from './rounds.ts';
import { timeProcess } from './time-process.ts';

export const hooks: Benchmark = {
  name: 'hooks',
  about: 'every hook command of every agent with a warm worker, also with much text, and with text full of brackets',
  run: measureHooks,
};

type Scene = { remembered: string; repository: string; worked: string; session: BenchSession };

type HookCase = {
  name: string;
  /** What it may cost, in starts of the bare runtime or in times of another case. */
  goal: number | null;
  than?: string;
  makeCall: (scene: Scene, round: number) => HookCall;
};

const TEXT_200_KB = makeText(200 * 1024);
const TEXT_5_MB = makeText(5 * 1024 * 1024);
const REPOSITORY_COMMITS = 300;

/** One session per round, in the order in which a session goes. */
const CASES: HookCase[] = [
  { name: 'hook context', goal: 3, makeCall: ({ remembered }) => createBenchSession(remembered).start() },
  { name: 'hook context, git repository', goal: 4, makeCall: ({ repository }) => createBenchSession(repository).start() },
  {
    name: 'hook new',
    goal: 2.2,
    makeCall: (scene, round) => {
      scene.session = createBenchSession(scene.worked);
      // Not looked up, as no prompt is after the first: what that one costs is in `told`.
      return scene.session.prompt(`Go on, ${round}`);
    },
  },
  { name: 'hook save', goal: 2, makeCall: ({ session }, round) => session.bash('bun test', makeText(400, round)) },
  { name: 'hook save 200 KB', goal: 4, makeCall: ({ session }) => session.bash('cat price.log', TEXT_200_KB) },
  { name: 'hook save 5 MB', goal: 4, makeCall: ({ session }) => session.bash('cat all.log', TEXT_5_MB) },
  { name: 'hook summary', goal: 2, makeCall: ({ session }) => session.stop('The price now includes the tax.') },
  { name: 'hook cleanup', goal: 2, makeCall: ({ session }) => session.end() },
];

/** Text full of brackets against plain words of the same size. */
const TEXTS: HookCase[] = [
  { size: 250 * 1024, label: '250 KB' },
  { size: 1024 * 1024, label: '1 MB' },
].flatMap(({ size, label }) => {
  const save = (name: string, text: string, judged: Pick<HookCase, 'goal' | 'than'>): HookCase => ({
    name,
    ...judged,
    makeCall: ({ session }) => session.bash('cat it', text),
  });
  const plain = `hook save ${label} plain`;
  return [
    save(plain, makeText(size), { goal: null }),
    ...TEXT_KINDS.map((kind) => save(`hook save ${label} ${kind}`, makeTextOf(kind, size), { goal: 3, than: plain })),
  ];
});

type Sample = { command: HookCommand; kind: string; payload: Record<string, unknown> };

/** Each hook of the other agents with what it really sends: the first event of each command, of `save` a tool. */
const OF_AGENTS: HookCase[] = ['codex', 'gemini', 'opencode', 'cursor'].flatMap((agent) => {
  const lines = readFileSync(join(import.meta.dir, `../../test/fixtures/agents/${agent}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n');
  const samples: Sample[] = lines.map((line) => JSON.parse(line));
  return HOOK_COMMANDS.flatMap((command) => {
    const sample = samples.find((one) => one.command === command && (command !== 'save' || one.kind === 'tool'));
    const goal = command === 'context' ? 3 : 2.2;
    const makeCall = ({ remembered, worked }: Scene, round: number) =>
      command === 'context' ? callOf(sample, agent, remembered, `start${round}`) : callOf(sample, agent, worked, `${round}`);
    return { name: `hook ${command} of ${agent}`, goal, makeCall };
  });
});

/** In this folder, at this moment, with ids of its own, and a prompt that asks for no note. */
function callOf(sample: Sample | undefined, agent: string, folder: string, mark: string): HookCall {
  if (!sample) throw new Error(`${agent} has no payload of each command`);
  const text = JSON.stringify(sample.payload, (key, value) => {
    if (key.endsWith('_id') && typeof value === 'string') return `${value}-${mark}`;
    if (key === 'timestamp') return typeof value === 'number' ? Date.now() : new Date().toISOString();
    return value;
  });
  const payload = text.replaceAll('/home/dev/shop', folder).replaceAll('Keep carts for a week', `Go on, ${mark}`);
  return { command: sample.command, payload: JSON.parse(payload), agent };
}

const ALL_CASES = [...CASES.slice(0, -2), ...TEXTS, ...CASES.slice(-2), ...OF_AGENTS];

async function measureHooks({ built, makeHome, isQuick, say }: BenchDeps): Promise<Figure[]> {
  const home = makeHome();
  const worked = home.project('worked');
  const [remembered, repository] = [home.project('remembered'), home.project('repository')];
  createPastRepository(repository, REPOSITORY_COMMITS).addCommits(REPOSITORY_COMMITS - 1, [0, 1, 2, 3]);
  const scene = { remembered, repository, worked, session: createBenchSession(worked) };
  fillStore(home.paths, { folders: [remembered, repository], observations: 600 });
  await home.startWorker();

  /** Hooks that put their event into the spool, which on a busy machine says nothing of the rest. */
  const late: string[] = [];
  const timeHook = async ({ command, payload, agent }: HookCall) => {
    const stdin = Buffer.from(JSON.stringify(payload));
    const spoolBefore = home.spoolChangedAt();
    const run = await timeProcess({ command: home.hook(command, agent), env: home.env, stdin });
    const isLate = home.spoolChangedAt() !== spoolBefore;
    if (isLate) {
      late.push(`${command}${agent ? ` of ${agent}` : ''} ${formatMs(run.ms)}`);
      // What comes next must not come before it.
      await until(() => !home.isSpooled());
    }
    const isTold = run.stdout.includes('<claude-mem-context');
    check(isLate || isTold === (command === 'context'), `hook ${command} printed: ${run.stdout.slice(0, 200)}`);
    return run;
  };
  const timeBare = (command: string[], stdin?: Uint8Array) => timeProcess({ command, env: home.env, ...(stdin ? { stdin } : {}) });
  const makeStdin = (round: number) => Buffer.from(JSON.stringify(scene.session.bash('bun test', makeText(400, round)).payload));
  const parts = await makePartVariants(home, { built, time: timeBare, makeStdin });
  const variants: Variant[] = [
    { name: '/bin/true', isYardstick: true, measure: () => timeBare(['/bin/true']) },
    { name: 'bun -e 0', isYardstick: true, measure: () => timeBare([built.bun, '-e', '0']) },
    ...parts.variants,
    ...ALL_CASES.map(({ name, makeCall }) => ({
      name,
      measure: (round: number) => timeHook(makeCall(scene, round)),
    })),
    // What the way of 5 MB from one process to another costs by itself.
    { name: 'wc -c 5 MB', measure: () => timeBare(['/usr/bin/wc', '-c'], Buffer.from(TEXT_5_MB)) },
  ];
  const [count, warmUp] = [isQuick ? 15 : 100, 5];
  say(`${count} rounds of ${variants.length} processes`);
  const times = await measureRounds(variants, { count, warmUp });

  parts.dispose();
  const huge = await measureHuge({ hook: timeHook, bare: timeBare }, scene, isQuick ? 3 : 9);

  const [sent, stored] = [ALL_CASES.length * (count + warmUp) + huge.sent, home.count('SELECT count(*) AS n FROM events')];
  check(stored === sent, `${sent} events were sent, ${stored} are in the database`);
  const shown = variants.filter(({ name }) => !parts.variants.some((part) => part.name === name));
  return [...shown.map(({ name }) => describe(name, times)), huge.figure, describeParts(times), describeLate(late, sent)];
}

const describeLate = (late: string[], sent: number): Figure => ({
  what: 'hooks not acked in time',
  figure: [`${late.length} of ${sent}`, ...late].join(', '),
  ratio: null,
  goal: atMost(late.length, 0, ''),
  values: { late: late.length, sent },
});

/** In turns, apart from the others, because it takes so long to send: `wc` has what the way of the bytes costs by itself. */
async function measureHuge(time: Timing, { session }: Scene, rounds: number) {
  const texts = { small: makeText(1024 * 1024).repeat(8), large: makeText(1024 * 1024).repeat(250) };
  const times = { small: [] as number[], large: [] as number[], wc: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    times.small.push((await time.hook(session.bash('cat all.log', texts.small))).ms);
    times.large.push((await time.hook(session.bash('cat all.log', texts.large))).ms);
    times.wc.push((await time.bare(['/usr/bin/wc', '-c'], Buffer.from(texts.large))).ms);
  }
  const [small, large, wc] = [median(times.small), median(times.large), median(times.wc)];
  const figure: Figure = {
    what: 'hook save 250 MB',
    figure: `p50 ${formatMs(large)}, 8 MB ${formatMs(small)}, wc -c 250 MB ${formatMs(wc)}`,
    ratio: { value: large / small, to: 'hook save 8 MB' },
    goal: atMost(large / small, 1.1, 'x'),
    values: { p50: large, p50Of8Mb: small, p50OfWc: wc },
  };
  return { figure, sent: rounds * 2 };
}

type Timing = {
  hook: (call: HookCall) => Promise<Timed>;
  bare: (command: string[], stdin?: Uint8Array) => Promise<Timed>;
};

function describe(name: string, times: Record<string, number[]>): Figure {
  const { goal = null, than = 'bun -e 0' } = ALL_CASES.find((one) => one.name === name) ?? {};
  const p50 = median(times[name] ?? []);
  const p95 = quantile(times[name] ?? [], 0.95);
  const toBun = p50 / median(times['bun -e 0'] ?? []);
  const toTrue = p50 / median(times['/bin/true'] ?? []);
  const value = p50 / median(times[than] ?? []);
  const cpu = median(times[cpuOf(name)] ?? []);
  const cpuToBun = cpu / median(times[cpuOf('bun -e 0')] ?? []);
  return {
    what: name,
    figure: `p50 ${formatMs(p50)}, p95 ${formatMs(p95)} (${toTrue.toFixed(1)}x true); processor ${formatMs(cpu)}, ${cpuToBun.toFixed(2)}x bun`,
    ratio: { value, to: than },
    goal: goal === null ? null : atMost(value, goal, 'x'),
    values: { p50, p95, toBun, toTrue, cpu, cpuToBun },
  };
}
