// `claude-mem stats`: what the model cost, what came of it, and how long things took.
import { z } from 'zod';
import { callApi } from '../../client/api.ts';
import { STAGES, type Stage } from '../../core/stats.ts';
import { findPaths } from '../../paths.ts';

const Row = z.object({
  name: z.string().nullable(),
  calls: z.number(),
  input: z.number(),
  cached: z.number(),
  output: z.number(),
  observations: z.number(),
});
const Latency = z.object({ p50: z.number().nullable(), p99: z.number().nullable(), count: z.number() });
const Given = z.object({
  sessions: z.number(),
  memories: z.number(),
  opened: z.number(),
  edited: z.number(),
  errors: z.number(),
  cameBack: z.number(),
});
const Stats = z.object({
  given: Given,
  latencies: z.record(z.enum(STAGES), Latency),
  spend: z.object({
    spentToday: z.object({ tokens: z.number(), calls: z.number() }),
    budget: z.object({ dailyTokens: z.number(), dailyCalls: z.number() }),
    exhausted: z.string().nullable(),
    byDay: z.array(Row),
    byProject: z.array(Row),
    bySession: z.array(Row),
  }),
});
type Row = z.infer<typeof Row>;
type Latencies = z.infer<typeof Stats>['latencies'];

export async function showStats(options: { json?: boolean }): Promise<void> {
  const answer = await callApi(findPaths(), '/api/stats');
  if (answer === null) throw new Error('The worker is not running. Start it with `claude-mem start`.');
  if (options.json) return console.log(JSON.stringify(answer, null, 2));
  const { spend, latencies, given } = Stats.parse(answer);
  const { spentToday, budget, exhausted } = spend;
  console.log(
    `today        ${count(spentToday.tokens)} of ${count(budget.dailyTokens)} tokens, ${spentToday.calls} of ${count(budget.dailyCalls)} calls`,
  );
  if (exhausted) console.log(`budget       ${exhausted}`);
  for (const line of [...describeGiven(given), ...describeLatencies(latencies)]) console.log(line);
  const days = spend.byDay.filter(({ calls }) => calls > 0);
  if (spend.byProject.length === 0)
    return console.log('No model was asked so far: memories are made by rules, which cost nothing.');
  const byDay = days.length > 0 ? [table('day', days)] : [];
  console.log(`\n${[...byDay, table('project', spend.byProject), table('session', spend.bySession)].join('\n\n')}`);
}

/** What was given in the last thirty days, and what the agent then did with it. */
function describeGiven({ sessions, memories, opened, edited, errors, cameBack }: z.infer<typeof Given>): string[] {
  if (sessions === 0) return [];
  return [
    `given        ${count(memories)} memories to ${count(sessions)} sessions in 30 days`,
    `used         ${count(opened)} of them: the session then opened a file the memory is about; ${count(edited)}: it changed one`,
    `errors       ${count(errors)} known errors answered; ${count(cameBack)} fixes whose error came back`,
  ];
}

const STAGE_NAMES: Record<Stage, string> = {
  ack: 'hook',
  queueWait: 'turn waits',
  observe: 'distilling',
  index: 'vectors',
  note: 'prompt note',
  lateNote: 'late note',
};

function describeLatencies(latencies: Latencies): string[] {
  return STAGES.flatMap((stage) => {
    const { p50, p99, count: times } = latencies[stage];
    if (p50 === null || p99 === null) return [];
    return `${STAGE_NAMES[stage].padEnd(12)} p50 ${formatMs(p50)}, p99 ${formatMs(p99)}, ${count(times)} since the worker started`;
  });
}

/** `3.2 ms`, `850 ms`, `12 s`, `4 min`. */
function formatMs(ms: number): string {
  if (ms < 1000) return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
  if (ms < 120_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

function table(title: string, rows: Row[]): string {
  const head = [title, 'calls', 'input', 'cached', 'output', 'observations', 'tokens each'];
  const cells = rows.map((row) => [
    clip(row.name ?? '(forgotten)', title === 'session' ? 40 : 80),
    ...[row.calls, row.input, row.cached, row.output, row.observations].map(count),
    row.observations === 0 ? '-' : count(Math.round((row.input + row.cached + row.output) / row.observations)),
  ]);
  const widths = head.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const line = (row: string[]) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ');
  return [head, ...cells].map(line).join('\n');
}

const count = (value: number) => value.toLocaleString('en');

function clip(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`;
}
