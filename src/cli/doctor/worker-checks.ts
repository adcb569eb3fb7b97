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
    return [problem('worker', `The worker keeps nothing: ${readLastError(paths)}`, { why: 'Nothing is remembered.' })];
  return [
    problem('worker', 'No worker answers.', {
      why: 'What hooks deliver waits in the offline queue; the next hook starts one.',
      remedy: 'claude-mem start',
      fix: () => start().then(() => 'started the worker'),
    }),
  ];
};

const WHY: Record<string, string> = {
  database: 'Memories may be gone or not be told.',
  disk: 'What happens from now on is not remembered.',
  'not kept': 'What was lost is not remembered unless a transcript has it.',
  writing: 'Sessions are told nothing new until it is over.',
  turns: 'Sessions are told nothing of them.',
  events: 'They are not remembered until they are processed.',
  'bad input': 'They are not remembered until they can be read.',
  model: 'Memories are plainer than they could be.',
};

/** What it says of itself, each with the reason that people have to care. */
export const examineHealth: Examine = ({ paths, health }) => {
  if (!health) return [];
  const retry = async () => {
    const { events } = (await callApi(paths, '/api/retry', { method: 'POST', body: {} })) as { events: number };
    return `${events} events that were set aside wait again`;
  };
  const found = health.problems.map(({ check, problem: what }): Finding => {
    const isAside = check === 'events' || check === 'bad input';
    const remedy = /`(claude-mem [^`]+)`/.exec(what)?.[1];
    return problem(check, what, { why: WHY[check], remedy, ...(isAside && { fix: retry }) });
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
