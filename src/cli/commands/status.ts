// `claude-mem status`: is it on, is there progress, what is stored, what was refused.
import { existsSync, readdirSync } from 'node:fs';
import { describeDamage, readDamage, sayRepaired } from '../../backup/damage.ts';
import { readRepaired } from '../../backup/swap.ts';
import { findRefuser, pingWorker } from '../../client/api.ts';
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
import { type Fact, renderFacts } from '../print.ts';
import { formatSeconds } from '../watch-job.ts';
import { describeIndex, fetchStatus, isOwned, listIndexProblems, readLastError } from '../worker-state.ts';

export const statusCommand = command({
  name: 'status',
  about: 'Show what the worker is doing, what waits and what is stored',
  who: 'anyone',
  async run() {
    const paths = findPaths();
    const status = await fetchStatus(paths);
    if (status) {
      const facts = [...describePauses(status.silences), ...describeStatus(status)];
      return { answer: { running: true, ...status }, text: () => renderFacts(facts) };
    }
    const { dataDir, spool } = paths;
    const spooled = existsSync(spool) ? readdirSync(spool).filter((name) => name.endsWith('.json')).length : 0;
    const damage = readDamage(paths);
    // Without a worker, a pause is not known: it is kept where only the worker reads.
    const silences = listOff(loadConfig(paths.config).config);
    const repaired = readRepaired(paths);
    const answer = { running: false, dataDir, damage, repaired, silences, queue: { spooled } };
    const found = [...(damage ? [describeDamage(damage)] : []), ...repaired.map(sayRepaired)];
    const facts = [
      ...found.map((one): Fact => ['problem', one]),
      ...describePauses(silences),
      ['worker', await describeAbsence(paths, spooled)] satisfies Fact,
    ];
    return { answer, text: () => renderFacts(facts) };
  },
});

async function describeAbsence(paths: Paths, spooled: number): Promise<string> {
  const refuser = await findRefuser(paths);
  const pid = refuser?.pid ?? (await pingWorker(paths));
  if (pid !== null) return `running (pid ${pid}), stores nothing: ${refuser?.reason ?? readLastError(paths)}`;
  const obstacle = describeUnwritable(paths);
  if (obstacle !== null) return `not running, and none can start. ${obstacle}`;
  if (isOwned(paths)) return 'holds the data dir but does not answer. `claude-mem restart` ends it and starts another.';
  const waiting = spooled > 0 ? ` In the offline queue: ${spooled}; stored when it starts.` : '';
  const next = isInstalled(paths) ? 'The next hook starts it' : 'Not installed: run `claude-mem install`';
  return `not running.${waiting} ${next}, or run \`claude-mem start\`.`;
}

function describePauses(silences: Silence[]): Fact[] {
  const lines = silences.map((silence) => describeSilence(silence, Date.now()));
  if (isIncognito()) lines.unshift('incognito: this session (CLAUDE_MEM_INCOGNITO)');
  return lines.map((line) => ['not stored', line]);
}

function describeStatus(status: Status): Fact[] {
  const { queue, sizes, counters } = status;
  const oldest = queue.oldestMs === null ? '' : `, oldest ${formatDuration(queue.oldestMs)}`;
  const made = `${sayCount(status.observations, 'observations')}, ${sayCount(status.summaries, 'summaries')}`;
  const parts = { database: sizes.database + sizes.wal, 'offline queue': sizes.spool, logs: sizes.logs, memory: status.rss };
  const taken = Object.entries(parts).filter(([, bytes]) => bytes > 0);
  return [
    ['worker', `running, pid ${status.pid}, version ${status.version}, up ${formatDuration(status.uptimeMs)}`],
    ...describeHealth(status),
    ...describeModel(status.model),
    ['queue', `${queue.depth} waiting${oldest}, ${queue.spooled} in the offline queue, ${queue.quarantined} failed`],
    ['last success', status.lastSuccessAt ? formatMoment(Date.parse(status.lastSuccessAt)) : 'none yet'],
    ['stored', `${made}, ${describeSessions(status.sessions)}`],
    ['search', describeIndex(status.index)],
    ['size', taken.map(([name, bytes]) => `${name} ${formatSize(bytes)}`).join(', ')],
    ...describeSync(status.sync),
    ['viewer', describeWeb(status.web)],
    ['data dir', status.dataDir],
    ...(Object.keys(counters).length > 0 ? [['counted', formatCounts(counters)] satisfies Fact] : []),
  ];
}

function describeHealth({ health, problems, index, facts }: Status): Fact[] {
  const all = [...problems, ...listIndexProblems(index)];
  const room = `${formatSize(facts.freeBytes)} free on the disk`;
  if (all.length === 0) return [['health', `ok, ${room}`]];
  const said = health === 'ok' ? 'degraded' : health;
  const head: Fact = ['health', `${said}: ${sayCount(all.length, 'problems')}, ${room}. More: claude-mem doctor`];
  return [head, ...all.map((problem): Fact => ['problem', problem])];
}

function describeSync({ state, hub, pending, lagMs }: Status['sync']): Fact[] {
  if (state === 'off') return [];
  const waiting = pending > 0 ? `, ${sayCount(pending, 'changes')} waiting since ${formatDuration(lagMs)}` : '';
  return [['sync', `${state}, ${hub}${waiting}`]];
}

function describeWeb({ address, port }: Status['web']): string {
  if (address) return `${address}; \`claude-mem viewer\` opens it`;
  return port === 0 ? 'off (the worker started with workerPort 0)' : `no port from ${port} on was free when the worker started`;
}

function describeModel(model: Status['model']): Fact[] {
  const { provider, waiting, quarantined, pause, spentToday, budget, exhausted } = model;
  if (!provider) return [['extraction', model.why]];
  const failed = quarantined > 0 ? `, ${quarantined} refused by it` : '';
  const spent = `${spentToday.tokens.toLocaleString('en')} of ${budget.dailyTokens.toLocaleString('en')} tokens`;
  const again = pause && `Asked again ${formatMoment(Date.parse(pause.untilIso))}.`;
  return [
    ['extraction', `${provider}, ${model.model} (${model.why}); ${sayCount(waiting, 'turns')} waiting${failed}`],
    ['spent today', `${spent} in ${sayCount(spentToday.calls, 'calls')}`],
    ...(exhausted ? [['budget', `${exhausted}: memories are made by rules`] satisfies Fact] : []),
    ...(pause ? [['model', `${pause.kind}: ${pause.message.replace(/[.]?$/, '.')} ${again}`] satisfies Fact] : []),
  ];
}

function describeSessions(sessions: Record<string, number>): string {
  const total = Object.values(sessions).reduce((sum, one) => sum + one, 0);
  return total === 0 ? 'no sessions' : `${sayCount(total, 'sessions')} (${formatCounts(sessions)})`;
}

const formatCounts = (counts: Record<string, number>) =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');

const formatDuration = (ms: number) => formatSeconds(Math.round(ms / 1000));
