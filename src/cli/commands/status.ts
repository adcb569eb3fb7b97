// `claude-mem status`: is it on, does it get on, what has it kept, what did it refuse.

import { existsSync, readdirSync } from 'node:fs';
import { describeDamage, readDamage } from '../../backup/damage.ts';
import { findRefuser, pingWorker } from '../../client/ping.ts';
import { describeUnwritable } from '../../client/writable.ts';
import { loadConfig } from '../../config.ts';
import type { Silence } from '../../core/shapes/silence.ts';
import type { Status } from '../../core/shapes/worker.ts';
import { describeSilence, listOff } from '../../core/silence.ts';
import { formatSize, sayCount } from '../../core/text.ts';
import { formatMoment } from '../../core/time.ts';
import { findPaths, isIncognito, type Paths } from '../../paths.ts';
import { command } from '../command.ts';
import { isInstalled } from '../install/plugin-folder.ts';
import { printJson } from '../print.ts';
import { formatSeconds } from '../watch-job.ts';
import { describeIndex, fetchStatus, isOwned, listIndexProblems, readLastError } from '../worker-state.ts';

export const statusCommand = command({
  name: 'status',
  about: 'what the worker is doing, how much waits, how much is kept',
  options: { '--json': 'as JSON' },
  who: 'anyone',
  async run(options) {
    const paths = findPaths();
    const status = await fetchStatus(paths);
    const spooled = existsSync(paths.spool) ? readdirSync(paths.spool).filter((name) => name.endsWith('.json')).length : 0;
    if (options.json) {
      const answer = status
        ? { running: true, ...status }
        : {
            running: false,
            dataDir: paths.dataDir,
            damage: readDamage(paths),
            silences: readOff(paths),
            queue: { spooled },
          };
      return printJson(answer);
    }
    const damage = readDamage(paths);
    if (damage && !status) console.log(describeDamage(damage));
    for (const line of describeSilences(status?.silences ?? readOff(paths))) console.log(line);
    if (status) return console.log(describeStatus(status));
    const refuser = await findRefuser(paths);
    if (refuser) return console.log(`The worker (pid ${refuser.pid}) keeps nothing: ${refuser.reason}`);
    const pid = await pingWorker(paths);
    if (pid !== null) return console.log(`The worker (pid ${pid}) keeps nothing: ${readLastError(paths)}`);
    const obstacle = describeUnwritable(paths);
    if (obstacle !== null) return console.log(`The worker is not running, and none can start. ${obstacle}`);
    if (isOwned(paths)) {
      return console.log('A worker holds the data dir but does not answer. `claude-mem restart` ends it and starts another.');
    }
    const waiting = spooled > 0 ? ` In the offline queue: ${spooled}; stored when it starts.` : '';
    const next = isInstalled(paths) ? 'The next hook starts it' : 'Not installed: run `claude-mem install`';
    console.log(`The worker is not running.${waiting} ${next}, or run \`claude-mem start\`.`);
  },
});

/** Without a worker, a pause is not known: it is kept where only the worker reads. */
const readOff = (paths: Paths) => listOff(loadConfig(paths.config).config);

function describeSilences(silences: Silence[]): string[] {
  const lines = silences.map((silence) => describeSilence(silence, Date.now()));
  if (isIncognito()) lines.unshift('incognito: this session (CLAUDE_MEM_INCOGNITO)');
  return lines.map((line) => `${'silence'.padEnd(13)}${line}`);
}

function describeStatus(status: Status): string {
  const { queue, sizes } = status;
  const oldest = queue.oldestMs === null ? '' : `, oldest ${formatDuration(queue.oldestMs)}`;
  const rows: [string, string][] = [
    ['worker', `running, pid ${status.pid}, version ${status.version}, up ${formatDuration(status.uptimeMs)}`],
    ...describeHealth(status),
    ...describeModel(status.model),
    ['queue', `${queue.depth} waiting${oldest}, ${queue.spooled} in the offline queue, ${queue.quarantined} set aside`],
    ['last success', status.lastSuccessAt ? formatMoment(Date.parse(status.lastSuccessAt)) : 'none yet'],
    [
      'kept',
      `${sayCount(status.observations, 'observations')}, ${sayCount(status.summaries, 'summaries')}, ${describeSessions(status.sessions)}`,
    ],
    ['search', describeIndex(status.index)],
    [
      'size',
      `database ${formatSize(sizes.database + sizes.wal)}, spool ${formatSize(sizes.spool)}, logs ` +
        `${formatSize(sizes.logs)}, memory ${formatSize(status.rss)}`,
    ],
    ['viewer', describeWeb(status.web)],
    ['data dir', status.dataDir],
  ];
  if (Object.keys(status.counters).length > 0) rows.push(['counted', formatCounts(status.counters)]);
  return rows.map(([name, value]) => `${name.padEnd(13)}${value}`).join('\n');
}

/** What is wrong comes first, the gravest before the others. */
function describeHealth({ health, problems, index, facts }: Status): [string, string][] {
  const all = [...problems, ...listIndexProblems(index)];
  const room = `${formatSize(facts.freeBytes)} free on the disk`;
  if (all.length === 0) return [['health', `ok, ${room}`]];
  const [worst, ...others] = all.map((problem): [string, string] => ['problem', problem]);
  const said = health === 'ok' ? 'degraded' : health;
  return [['health', `${said}: ${sayCount(all.length, 'problems')}, ${room}. More: claude-mem doctor`], worst ?? ['', ''], ...others];
}

function describeWeb({ address, port }: Status['web']): string {
  if (address) return `${address}; \`claude-mem viewer\` opens it`;
  return port === 0 ? 'off (the worker started with workerPort 0)' : `no port from ${port} on was free when the worker started`;
}

function describeModel(model: Status['model']): [string, string][] {
  const { provider, waiting, quarantined, pause, spentToday, budget, exhausted } = model;
  if (!provider) return [['observer', model.why]];
  const aside = quarantined > 0 ? `, ${sayCount(quarantined, 'turns')} ${quarantined === 1 ? 'was' : 'were'} refused by it` : '';
  const rows: [string, string][] = [
    [
      'observer',
      `${provider}, ${model.model} (${model.why}); ${sayCount(waiting, 'turns')} ${waiting === 1 ? 'waits' : 'wait'} for it${aside}`,
    ],
    [
      'spent today',
      `${spentToday.tokens.toLocaleString('en')} of ${budget.dailyTokens.toLocaleString('en')} tokens in ` +
        `${sayCount(spentToday.calls, 'calls')}`,
    ],
  ];
  if (exhausted) rows.push(['budget', `${exhausted}: memories are made by rules`]);
  if (pause)
    rows.push(['model', `${pause.kind}: ${pause.message.replace(/[.]?$/, '.')} Asked again ${formatMoment(Date.parse(pause.untilIso))}.`]);
  return rows;
}

/** `3 sessions (1 active, 2 completed)`. */
function describeSessions(sessions: Record<string, number>): string {
  const total = Object.values(sessions).reduce((sum, one) => sum + one, 0);
  return total === 0 ? 'no sessions' : `${sayCount(total, 'sessions')} (${formatCounts(sessions)})`;
}

const formatCounts = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');

const formatDuration = (ms: number) => formatSeconds(Math.round(ms / 1000));
