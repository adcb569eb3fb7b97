// `claude-mem stats`: what the model cost, what came of it, and how long things took.
import { existsSync } from 'node:fs';
import { callApi } from '../../client/api.ts';
import { loadConfig } from '../../config.ts';
import type { Benefit, BenefitFinding, BenefitSession, FindingKind } from '../../core/context.ts';
import { OBSERVATION_TYPES } from '../../core/observation.ts';
import type { Stats } from '../../core/shapes/worker.ts';
import { sayCount } from '../../core/text.ts';
import { formatDate, STAGES, type Stage } from '../../core/time.ts';
import { findPaths } from '../../paths.ts';
import { command } from '../command.ts';
import { readPlace } from '../options.ts';
import { type Column, type Fact, isForProgram, renderFacts, renderTable } from '../print.ts';
import { createProgress } from '../watch-job.ts';

export const statsCommand = command({
  name: 'stats',
  about: 'Show how many memories there are, which were used, what the model cost, and latencies',
  help: 'By project: `claude-mem projects`. Costs by day, project and session; hooks, turns and the index since the worker started.',
  who: 'anyone',
  async run() {
    const answer = await callApi<Stats>(findPaths(), '/api/stats');
    if (answer === null) throw new Error('The worker is not running. Start it with `claude-mem start`.');
    return { answer, text: () => describe(answer) };
  },
});

function describe({ counts, days: made, spend, latencies, given }: Stats): string {
  const { spentToday, budget, exhausted, byProject, bySession } = spend;
  const tokens = `${count(spentToday.tokens)} of ${count(budget.dailyTokens)} tokens`;
  const facts: Fact[] = [
    ...describeStored(counts, made),
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

function describeStored(counts: Stats['counts'], days: Stats['days']): Fact[] {
  const types = OBSERVATION_TYPES.map((type) => [type, days.reduce((sum, { types }) => sum + (types[type] ?? 0), 0)] as const);
  const made = types.filter(([, times]) => times > 0).map(([type, times]) => `${count(times)} ${type}`);
  return [
    [
      'stored',
      Object.entries(counts)
        .map(([what, times]) => sayCount(times, what))
        .join(', '),
    ],
    [`${days.length} days`, made.length > 0 ? `new observations: ${made.join(', ')}` : 'no new observation'],
  ];
}

const sayAsked = (rows: Row[]) => `asked ${count(rows.reduce((sum, { calls }) => sum + calls, 0))} times`;

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

// `claude-mem benefit`: what the memory would have been worth in past sessions, counted on the user's own history.

export const benefitCommand = command({
  name: 'benefit',
  about: 'Count what past sessions worked out a second time',
  options: { '--project [name]': 'Only sessions of this project, or of another one' },
  help:
    'Replays your own past sessions, oldest first: each gets the session context and the notes that it would have got from the ' +
    'turns before it. Counted is what a session worked out and they would have named before: a command that worked after failed ' +
    'ones, the cause of an error, a file it searched for. Beside it the same with the memory of another project (chance), and ' +
    'with grep. Nothing is written, no model is asked. docs/benefit.md says how it is counted, and what it does not show.',
  examples: ['claude-mem benefit', 'claude-mem benefit --project shop --json'],
  who: 'owner',
  async run({ project, json = false }) {
    const { database, config } = findPaths();
    if (!existsSync(database)) throw new Error('Nothing is remembered yet. `claude-mem import` reads your past sessions.');
    // In a bundle that the other commands do not load.
    const { replayPast } = await import('../../import/child.ts');
    const { show, end } = createProgress(json);
    const report = (done: number, total: number) => {
      if (done === total) end();
      else show({ step: `${sayCount(done, 'moments')} of ${total}`, done, total, unit: 'rows', counts: {} });
    };
    const place = project === undefined ? {} : { place: readPlace(project) };
    const benefit = await replayPast({ database, config: loadConfig(config).config, ...place, report });
    return { answer: { ...sum(benefit.sessions), ...benefit }, text: () => describeBenefit(benefit).join('\n') };
  },
});

type Known = (finding: BenefitFinding) => boolean;
const BY_MEMORY: Known = ({ known }) => known !== null;
const BY_CHANCE: Known = ({ isKnownByChance }) => isKnownByChance === true;
const BY_GREP: Known = ({ isGrepped }) => isGrepped;

/** Sessions in which at least one answer was known. */
const sum = (sessions: BenefitSession[]) => {
  const count = (isKnown: Known) => sessions.filter(({ findings }) => findings.some(isKnown)).length;
  return { of: sessions.length, known: count(BY_MEMORY), chance: count(BY_CHANCE), grep: count(BY_GREP) };
};

function describeBenefit({ sessions, all, withoutPast }: Benefit): string[] {
  if (sessions.length === 0) return [sayNothing(all, withoutPast)];
  const { of, known, chance, grep } = sum(sessions);
  const compared = sessions.filter(({ findings }) => findings.some(({ isKnownByChance }) => isKnownByChance !== null));
  const average = (read: 'memory' | 'grep') =>
    Math.round(sessions.reduce((total, { characters }) => total + characters[read], 0) / of).toLocaleString('en');
  return [
    `In ${known} of ${sayCount(of, 'sessions')} the answer was already known (chance ${compared.length > 0 ? chance : '–'}, grep ${grep}).`,
    `Of what they worked out: ${KINDS.map((kind) => describeKind(sessions, kind)).join(', ')}.`,
    `Read in a session on average: ${average('memory')} characters of memory, ${average('grep')} of grep.`,
    `Looked at: ${sayCount(all, 'sessions')}; ${withoutPast} without earlier work in their project, ` +
      `${all - withoutPast - of} that worked out nothing that counts.`,
    ...(compared.length < of ? [`Chance: for ${of - compared.length} of them no other project had a memory yet.`] : []),
    ...sessions.flatMap(describeSession),
  ];
}

function sayNothing(all: number, withoutPast: number): string {
  if (all === 0) return 'There are no past sessions to count. `claude-mem import` reads them.';
  const others = 'the others worked out nothing that counts';
  return `None of ${sayCount(all, 'sessions')} can be counted: ${withoutPast} had no earlier work in their project, ${others}.`;
}

const NAMES: Record<FindingKind, string> = { command: 'commands', cause: 'causes', file: 'files' };
const KINDS: FindingKind[] = ['command', 'cause', 'file'];

function describeKind(sessions: BenefitSession[], kind: FindingKind): string {
  const found = sessions.flatMap(({ findings }) => findings).filter((one) => one.kind === kind);
  const count = (isKnown: Known) => found.filter(isKnown).length;
  return `${count(BY_MEMORY)} of ${found.length} ${NAMES[kind]} (chance ${count(BY_CHANCE)}, grep ${count(BY_GREP)})`;
}

function describeSession({ session, project, startedAt, turnsBefore, findings }: BenefitSession): string[] {
  return [
    '',
    `${formatDate(startedAt)} ${project}, session ${session.slice(0, 8)}, after ${sayCount(turnsBefore, 'turns')}`,
    ...findings.flatMap(({ kind, text, turn, known, isKnownByChance, isGrepped }) => {
      const by = [known && 'known', isGrepped && 'grep', isKnownByChance && 'chance'].filter(Boolean).join(', ');
      const line = `  ${(by || '–').padEnd(12)} ${kind.padEnd(8)} turn ${turn}: ${text}`;
      return known ? [line, `               ${known.where}: ${known.line}`] : [line];
    }),
  ];
}
