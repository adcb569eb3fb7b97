// `claude-mem stats`: what the model cost, what came of it, and how long things took.
import { callApi } from '../../client/api.ts';
import { plainLine } from '../../core/plain-line.ts';
import { type Stats, StatsSchema } from '../../core/shapes/stats.ts';
import { STAGES, type Stage } from '../../core/stats.ts';
import { findPaths } from '../../paths.ts';
import { command } from '../command.ts';
import { findTerminal, printJson, renderTable } from '../print.ts';

type Row = Stats['spend']['byDay'][number];
type Latencies = Stats['latencies'];

export const statsCommand = command({
  name: 'stats',
  about: 'what the model cost, by day, project and session; how long hooks, turns, distilling and the index took',
  options: { '--json': 'as JSON' },
  who: 'anyone',
  async run(options) {
    const answer = await callApi(findPaths(), '/api/stats');
    if (answer === null) throw new Error('The worker is not running. Start it with `claude-mem start`.');
    if (options.json) return printJson(answer);
    const { spend, latencies, given } = StatsSchema.parse(answer);
    const { spentToday, budget, exhausted } = spend;
    console.log(
      `today        ${count(spentToday.tokens)} of ${count(budget.dailyTokens)} tokens, ` +
        `${spentToday.calls} of ${count(budget.dailyCalls)} calls`,
    );
    if (exhausted) console.log(`budget       ${exhausted}`);
    for (const line of [...describeGiven(given), ...describeLatencies(latencies)]) console.log(line);
    const days = spend.byDay.filter(({ calls }) => calls > 0);
    if (spend.byProject.length === 0) return console.log('No model was asked so far: memories are made by rules, which cost nothing.');
    const byDay = days.length > 0 ? [table('day', days)] : [];
    console.log(`\n${[...byDay, table('project', spend.byProject), table('session', spend.bySession)].join('\n\n')}`);
  },
});

/** What was given in the last thirty days, and what the agent then did with it. */
function describeGiven({ sessions, memories, opened, edited, errors, cameBack }: Stats['given']): string[] {
  if (sessions === 0) return [];
  return [
    `given        ${count(memories)} memories to ${count(sessions)} sessions in 30 days`,
    `used         ${count(opened)} of them: the session then opened a file the memory is about; ${count(edited)}: it changed one`,
    `errors       ${count(errors)} known errors answered; ${count(cameBack.length)} fixes whose error came back${nameSome(cameBack)}`,
  ];
}

const MOST_NAMED = 8;

/** By id alone: whoever may read them reads them with `show`. */
const nameSome = (ids: string[]) =>
  ids.length === 0 ? '' : `: #${ids.slice(0, MOST_NAMED).join(', #')}${ids.length > MOST_NAMED ? ', …' : ''}`;

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
  const numbers = ['calls', 'input', 'cached', 'output', 'observations', 'tokens each'];
  const cells = rows.map((row) => [
    plainLine(row.name ?? '(forgotten)', title === 'session' ? 40 : 80),
    ...[row.calls, row.input, row.cached, row.output, row.observations].map(count),
    row.observations === 0 ? '-' : count(Math.round((row.input + row.cached + row.output) / row.observations)),
  ]);
  const columns = [{ heading: title }, ...numbers.map((heading) => ({ heading, isNumber: true }))];
  return renderTable(columns, cells, findTerminal());
}

const count = (value: number) => value.toLocaleString('en');
