// `claude-mem stats`: what the model cost, what came of it, and how long things took.
import { callApi } from '../../client/api.ts';
import { type Stats, StatsSchema } from '../../core/shapes/stats.ts';
import { STAGES, type Stage } from '../../core/stats.ts';
import { findPaths } from '../../paths.ts';
import { command } from '../command.ts';
import { type Column, type Fact, isForProgram, renderFacts, renderTable } from '../print.ts';

export const statsCommand = command({
  name: 'stats',
  about: 'Show what was given, what the model cost and the latencies',
  help: 'Costs by day, project and session; times of hooks, turns, processing and the index since the worker started.',
  who: 'anyone',
  async run() {
    const answer = await callApi(findPaths(), '/api/stats');
    if (answer === null) throw new Error('The worker is not running. Start it with `claude-mem start`.');
    return { answer, text: () => describe(StatsSchema.parse(answer)) };
  },
});

function describe({ spend, latencies, given }: Stats): string {
  const { spentToday, budget, exhausted, byProject, bySession } = spend;
  const tokens = `${count(spentToday.tokens)} of ${count(budget.dailyTokens)} tokens`;
  const facts: Fact[] = [
    ['today', `${tokens}, ${spentToday.calls} of ${count(budget.dailyCalls)} calls`],
    ...(exhausted ? [['budget', exhausted] satisfies Fact] : []),
    ...describeGiven(given),
    ...describeLatencies(latencies),
    ['model', byProject.length === 0 ? 'not asked so far: memories are made by rules, which cost nothing' : sayAsked(byProject)],
  ];
  const days = spend.byDay.filter(({ calls }) => calls > 0);
  const tables = Object.entries({ day: days, project: byProject, session: bySession }).filter(([, rows]) => rows.length > 0);
  if (isForProgram()) return renderFacts([...facts, ...tables.flatMap(([of, rows]) => rows.map((row) => sayCosts(of, row)))]);
  return [renderFacts(facts), ...tables.map(([heading, rows]) => table(heading, rows))].join('\n\n');
}

const sayAsked = (rows: Row[]) => `asked ${count(rows.reduce((sum, { calls }) => sum + calls, 0))} times`;

/** What was given in the last thirty days, and what the agent then did with it. */
function describeGiven({ sessions, memories, opened, edited, errors, cameBack }: Stats['given']): Fact[] {
  if (sessions === 0) return [];
  return [
    ['given', `${count(memories)} memories to ${count(sessions)} sessions in 30 days`],
    ['used', `${count(opened)} of them: the session then opened a file the memory is about; ${count(edited)}: it changed one`],
    ['errors', `${count(errors)} known errors answered; ${count(cameBack.length)} fixes whose error came back${nameSome(cameBack)}`],
  ];
}

const MOST_NAMED = 8;

/** By id alone: whoever may read them reads them with `show`. */
const nameSome = (ids: string[]) =>
  ids.length === 0 ? '' : `: #${ids.slice(0, MOST_NAMED).join(', #')}${ids.length > MOST_NAMED ? ', …' : ''}`;

const STAGE_NAMES: Record<Stage, string> = {
  ack: 'hook',
  queueWait: 'turn waits',
  observe: 'processing',
  index: 'vectors',
  note: 'prompt note',
  lateNote: 'late note',
};

function describeLatencies(latencies: Stats['latencies']): Fact[] {
  return STAGES.flatMap((stage) => {
    const { p50, p99, count: times } = latencies[stage];
    if (p50 === null || p99 === null) return [];
    return [[STAGE_NAMES[stage], `p50 ${formatMs(p50)}, p99 ${formatMs(p99)}, ${count(times)} since the worker started`] satisfies Fact];
  });
}

/** `3.2 ms`, `850 ms`, `12 s`, `4 min`. */
function formatMs(ms: number): string {
  if (ms < 1000) return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
  if (ms < 120_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

type Row = Stats['spend']['byDay'][number];

const sayCosts = (of: string, { name, calls, input, cached, output, observations }: Row): Fact => [
  `${of} ${name ?? '(forgotten)'}`,
  `${calls} calls, ${input} input, ${cached} cached, ${output} output, ${observations} observations`,
];

function table(heading: string, rows: Row[]): string {
  const names = ['calls', 'input', 'cached', 'output', 'observations'] as const;
  const columns: Column<Row>[] = [
    { heading, cell: ({ name }) => (name ?? '(forgotten)').slice(0, 80) },
    ...names.map((name) => ({ heading: name, isNumber: true, cell: (row: Row) => count(row[name]) })),
    { heading: 'tokens each', isNumber: true, cell: tokensEach },
  ];
  return renderTable(columns, rows);
}

const tokensEach = ({ input, cached, output, observations }: Row) =>
  observations === 0 ? '-' : count(Math.round((input + cached + output) / observations));

const count = (value: number) => value.toLocaleString('en');
