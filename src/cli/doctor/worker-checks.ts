// What `doctor` looks at in the worker: that it answers, by both sockets, in this version; and what it says of itself.
import { callApi } from '../../client/api.ts';
import { findRefuser } from '../../client/ping.ts';
import { restart } from '../commands/restart.ts';
import { start } from '../commands/start.ts';
import { readLastError } from '../last-error.ts';
import { VERSION } from '../version.ts';
import { type Examine, type Finding, ok, problem } from './finding.ts';

export const examineWorker: Examine = async ({ paths, status }) => {
  if (status && status.version === VERSION) return [ok('worker', `runs, pid ${status.pid}, version ${VERSION}`)];
  const again = { remedy: 'claude-mem restart', fix: () => restart().then(() => 'started the worker again') };
  if (status)
    return [
      problem('worker', `The worker is of version ${status.version}, and this is ${VERSION}.`, {
        why: 'It does not know what is new.',
        ...again,
      }),
    ];
  if ((await findRefuser(paths)) !== null)
    return [
      problem('worker', `The worker keeps nothing: ${readLastError(paths)}`, {
        why: 'Nothing is remembered.',
        remedy: 'Do what it says, then claude-mem restart',
      }),
    ];
  return [
    problem('worker', 'No worker answers.', {
      why: 'What hooks deliver waits in the offline queue; the next hook starts one.',
      remedy: 'claude-mem start',
      fix: () => start().then(() => 'started the worker'),
    }),
  ];
};

/** By the name of its check: what comes of it, and what to do unless the sentence itself names a command. */
const MEANING: Record<string, { why: string; remedy: string }> = {
  database: { why: 'Memories may be gone or not be told.', remedy: 'claude-mem repair' },
  disk: { why: 'What happens from now on is not remembered.', remedy: 'Delete something on that disk.' },
  'not kept': { why: 'What was lost is not remembered unless a transcript has it.', remedy: 'claude-mem import' },
  writing: { why: 'Sessions are told nothing new until it is over.', remedy: 'claude-mem restart' },
  turns: { why: 'Sessions are told nothing of them.', remedy: 'claude-mem restart' },
  events: { why: 'They are not remembered until they are processed.', remedy: 'claude-mem doctor --fix' },
  spool: { why: 'They are not remembered until they are stored.', remedy: 'claude-mem restart' },
  'bad input': { why: 'They are not remembered until they can be read.', remedy: 'claude-mem doctor --fix' },
  'low disk': { why: 'Soon nothing new can be kept.', remedy: 'Delete something on that disk.' },
  'log of the database': {
    why: 'It takes more and more of the disk.',
    remedy: 'End the program that reads memory.db.',
  },
  sockets: { why: 'Hooks or commands do not find the worker.', remedy: 'claude-mem restart' },
  clock: { why: 'What happened last may not be told as the last.', remedy: 'Set the clock of this machine.' },
  settings: { why: 'A setting does not count as you meant it.', remedy: 'claude-mem config' },
  model: { why: 'Memories are plainer than they could be.', remedy: 'claude-mem logs' },
};
const UNKNOWN = { why: 'The worker says that it matters.', remedy: 'claude-mem logs' };

/** What it says of itself, each with the reason that people have to care. */
export const examineHealth: Examine = ({ paths, health }) => {
  if (!health) return [];
  const retry = async () => {
    const { events } = (await callApi(paths, '/api/retry', { method: 'POST', body: {} })) as { events: number };
    return `${events} events that were set aside wait again`;
  };
  const found = health.problems.map(({ check, problem: what }): Finding => {
    const isAside = check === 'events' || check === 'bad input';
    const { why, remedy } = MEANING[check] ?? UNKNOWN;
    const named = /`(claude-mem [^`]+)`/.exec(what)?.[1];
    return problem(check, what, { why, remedy: named ?? remedy, ...(isAside && { fix: retry }) });
  });
  return found.length > 0 ? found : [ok('health', 'the worker finds nothing wrong')];
};

export const examineSockets: Examine = ({ health }) => {
  const sockets = health?.facts?.sockets;
  return sockets?.hooks && sockets.http ? [ok('sockets', 'worker.sock and http.sock are there')] : [];
};

export const examinePort: Examine = ({ status }) => {
  if (!status) return [];
  const { address, port } = status.web;
  if (address || port === 0) return [ok('port', address ?? 'off, as set')];
  return [
    problem('port', `No port from ${port} on was free when the worker started.`, {
      why: 'The viewer cannot be opened.',
      remedy: 'claude-mem restart',
    }),
  ];
};

export const examineModel: Examine = ({ status }) => {
  if (!status || status.model.pause) return [];
  const { provider, model, why } = status.model;
  return [ok('model', provider ? `${provider}, ${model}` : why)];
};
