// What `doctor` checks: the runtime, the data dir, the settings, the clock, the command in the shell and the database itself; of the worker
// that it answers, in this version, and what it says of itself; that Claude Code loads the hooks, and that one reaches the store.
import { chmodSync, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findObstacle, listCopies, runChild } from '../../backup/copies.ts';
import { noteDamage, readDamage, sayRepaired } from '../../backup/damage.ts';
import { readRepaired } from '../../backup/swap.ts';
import { callApi, findRefuser } from '../../client/api.ts';
import { isStarting } from '../../client/start-worker.ts';
import { describeUnwritable } from '../../client/writable.ts';
import { closeSettings, describeOpenKey, loadConfig } from '../../config.ts';
import { selfTestAnswer, selfTestSession } from '../../core/envelope.ts';
import type { Facts, HealthStatus, Problem, Status } from '../../core/shapes/worker.ts';
import { DAY_MS, formatMoment } from '../../core/time.ts';
import { findMissingLogin } from '../../environment.ts';
import { describeForeign, RESERVED_BYTES, readRoom } from '../../own-files.ts';
import { type Paths, shellPath, workerEnvironment } from '../../paths.ts';
import { startBun } from '../../start-bun.ts';
import { restart, start } from '../commands/start.ts';
import { isWhole, setupOf } from '../install/agent-files.ts';
import { describeOthers, findClaudeFolder, readClaudeSettings } from '../install/claude-cli.ts';
import { hasHooks, nameWay, readText, settingsFile } from '../install/place.ts';
import {
  describeCommand,
  findPackage,
  launcherIn,
  marketplaceFolder,
  PLUGIN_ID,
  type Place,
  pinnedBun,
  readMark,
} from '../install/plugin-folder.ts';
import { VERSION } from '../version.ts';
import meanings from './meaning.json';

export type Finding = {
  check: string;
  isOk: boolean;
  what: string;
  /** Of a problem: what comes of it, and one command, or one thing to do. */
  why?: string;
  remedy?: string;
  /** Repairs it, if that can do no harm; says what it did. */
  fix?: () => Promise<string> | string;
};

export type Health = { status: HealthStatus; problems: Problem[]; facts?: Facts };

/** `status` and `health` are null when no worker answers, or one that does not know the question. */
export type Patient = { paths: Paths; status: Status | null; health: Health | null };

export type Examine = (patient: Patient) => Promise<Finding[]> | Finding[];

export const ok = (check: string, what: string): Finding[] => [{ check, isOk: true, what }];
export const problem = (check: string, what: string, why: string, remedy: string, fix?: Finding['fix']): Finding[] => [
  { check, isOk: false, what, why, remedy, ...(fix && { fix }) },
];

const examineRuntime: Examine = () => {
  const pinned = pinnedBun();
  if (pinned === Bun.version) return ok('runtime', `Bun ${Bun.version}, as pinned`);
  const what = `Bun ${Bun.version} runs this, and ${pinned} is the one it was tested with.`;
  return problem('runtime', what, 'Another version may read the database otherwise.', 'npm install --global . (in the checkout)');
};

const examineDataDir: Examine = ({ paths }) => {
  const { dataDir } = paths;
  if (!existsSync(dataDir)) return ok('data dir', `${dataDir} is made by the first session`);
  const obstacle = describeForeign(paths) ?? describeUnwritable(paths);
  if (obstacle) return problem('data dir', obstacle, 'Nothing can be stored.', 'Do what it says.');
  const mode = statSync(dataDir).mode & 0o777;
  if ((mode & 0o077) === 0) return ok('data dir', `${dataDir}, for you alone`);
  const what = `Other users can look into ${dataDir} (mode ${mode.toString(8)}).`;
  return problem('data dir', what, 'It holds what you and your agents said.', `chmod 700 ${dataDir}`, () => {
    chmodSync(dataDir, 0o700);
    return 'closed the data dir to other users';
  });
};

const examineSettings: Examine = ({ paths: { config } }) => {
  const open = describeOpenKey(config);
  const why = 'Whoever has the key spends your money.';
  const found = [
    ...(open ? problem('settings', open, why, `chmod 600 ${config}`, () => closeSettings(config) ?? '') : []),
    ...loadConfig(config).problems.flatMap((text) =>
      problem('settings', text, 'A setting does not apply as you meant it.', 'claude-mem config'),
    ),
  ];
  return found.length > 0 ? found : ok('settings', 'all of them apply');
};

const examineSpace: Examine = ({ paths, health }) => {
  // A worker says it with what it means for it.
  if (health || !existsSync(paths.dataDir)) return [];
  const { bytes } = readRoom(paths.dataDir);
  const said = `${(bytes / 1e6).toFixed(0)} MB free`;
  if (bytes >= RESERVED_BYTES) return ok('disk', said);
  return problem('disk', `The disk is full (${said}).`, 'Nothing new is stored.', 'Delete something.');
};

const examineClock: Examine = ({ paths }) => {
  const now = new Date().toISOString();
  const written = statSync(paths.database, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (written <= Date.now() + 300_000) return ok('clock', now);
  const why = 'Memories get times that are out of order, and pauses end at other times than you said.';
  return problem('clock', `The clock says ${now}, and memory.db was written later than that.`, why, 'Set the clock of this machine.');
};

const examineCommand: Examine = () => {
  const { dist } = findPackage();
  const said = describeCommand({ dist }, shellPath());
  if (said === null) return ok('command', `claude-mem in your shell is the one in ${dirname(dist)}`);
  return problem('command', said, 'Every remedy here begins with that word.', `npm install --global ${dirname(dist)}`);
};

/** Every page and every row, in a process of its own; the next session reports what it finds, too. */
const examineStore: Examine = async ({ paths, health }) => {
  if (!statSync(paths.database, { throwIfNoEntry: false })?.size) return ok('database', 'is made by the first session');
  const { damage } = await runChild({ kind: 'check', paths, isDeep: true });
  if (damage.length > 0) noteDamage(paths, damage);
  const known = readDamage(paths);
  // A worker says it itself.
  const repaired = health ? '' : readRepaired(paths).map(sayRepaired).join(' ');
  if (known === null) return ok('database', `every page and row is as it was written${repaired && `. ${repaired}`}`);
  return problem('database', `The memory is damaged (${known.what.join('; ')}).`, 'Memories may be missing or incorrect.', known.howToMend);
};

/** One a day is made while the worker is idle: so long there is always an hour of that. */
const OLD_DAYS = 7;

const examineBackups: Examine = ({ paths }) => {
  const copies = listCopies(paths);
  const newest = copies[0]?.at ?? 0;
  // Before there was a memory there was nothing to copy.
  const born = statSync(paths.birthMark, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  const days = Math.floor((Date.now() - Math.max(newest, born)) / DAY_MS);
  if (days < OLD_DAYS)
    return ok(
      'backups',
      newest > 0 ? `${copies.length}, the newest of ${formatMoment(newest)}` : 'the first is made when the worker is idle',
    );
  const obstacle = findObstacle(paths, paths.database) ?? 'None was made while the worker was idle: see `claude-mem logs`.';
  const why = 'What gets damaged cannot be brought back from a backup.';
  return problem('backups', `There is no backup of the last ${days} days. ${obstacle}`, why, 'claude-mem backup');
};

const examineWorker: Examine = async ({ paths, status }) => {
  if (status?.version === VERSION) return ok('worker', `runs, pid ${status.pid}, version ${VERSION}`);
  if (status) {
    const what = `The worker is of version ${status.version}, and this is ${VERSION}.`;
    const fix = () => restart().then(() => 'started the worker again');
    return problem('worker', what, 'It does not know what is new.', 'claude-mem restart', fix);
  }
  const refuser = await findRefuser(paths);
  const remedy = 'Do what it says, then claude-mem restart';
  if (refuser) return problem('worker', `The worker stores nothing: ${refuser.reason}`, 'Nothing is remembered.', remedy);
  const why = 'What hooks deliver waits in the offline queue; the next hook starts one.';
  return problem('worker', 'No worker answers.', why, 'claude-mem start', () => start().then(() => 'started the worker'));
};

type Meaning = Record<'why' | 'remedy', string>;
/** By the name of its check: what comes of it, and what to do unless the sentence itself names a command. */
const MEANING: Record<string, Meaning> = meanings;
const UNKNOWN: Meaning = { why: 'The worker says that it matters.', remedy: 'claude-mem logs' };

const examineHealth: Examine = ({ paths, health }) => {
  if (!health) return [];
  const retry = async () => {
    const answer = await callApi<{ events: number }>(paths, '/api/retry', { method: 'POST', body: {} });
    return `${answer?.events ?? 0} failed events are tried again`;
  };
  const found = health.problems.flatMap(({ check, problem: what }) => {
    const { why, remedy } = MEANING[check] ?? UNKNOWN;
    const named = /`(claude-mem [^`]+)`/.exec(what)?.[1];
    return problem(check, what, why, named ?? remedy, check === 'events' || check === 'bad input' ? retry : undefined);
  });
  return found.length > 0 ? found : ok('health', 'the worker finds no problem');
};

const examineSockets: Examine = ({ health }) => {
  const sockets = health?.facts?.sockets;
  return sockets?.hooks && sockets.http ? ok('sockets', 'worker.sock and http.sock are there') : [];
};

const examinePort: Examine = ({ status }) => {
  if (!status) return [];
  const { address, port } = status.web;
  if (address || port === 0) return ok('port', address ?? 'off, as set');
  const what = `No port from ${port} on was free when the worker started.`;
  return problem('port', what, 'The viewer cannot be opened.', 'claude-mem restart');
};

const examineModel: Examine = ({ paths, status }) => {
  if (!status || status.model.pause) return [];
  const { provider, model, why } = status.model;
  const missing = provider ? findMissingLogin(loadConfig(paths.config).config) : null;
  if (missing)
    return problem('model', `${missing.what} Nobody can ask ${provider}, ${model}.`, 'Memories are made by rules alone.', missing.remedy);
  return ok('model', provider ? `${provider}, ${model}` : why);
};

const UNSEEN = 'Nothing is captured, and sessions get no context.';

const examineRegistration: Examine = ({ paths }) => {
  const file = `${findClaudeFolder()}/settings.json`;
  const settings = readClaudeSettings(findClaudeFolder());
  const others = describeOthers(settings, launcherIn(marketplaceFolder(paths))).flatMap((said) => {
    const remedy = /: (claude plugin .*)$/.exec(said)?.[1] ?? `Take them out of ${file}`;
    return problem('hooks', said, 'Two memories of one session disturb each other.', remedy);
  });
  return [...examinePlugin(marketplaceFolder(paths), settings, file), ...others];
};

function examinePlugin(folder: string, settings: Record<string, unknown> | null, file: string): Finding[] {
  const missing = (what: string, why = UNSEEN) => problem('hooks', what, why, 'claude-mem install');
  const mark = readMark(folder);
  // Whoever has it for other agents alone misses nothing here.
  if (mark?.places.length === 0 && mark.agents.length > 0) return [];
  if (mark === null || mark.places.length === 0) return missing('Claude Code does not load claude-mem: it is not installed.');
  const { version, places } = mark;
  const why = 'Hooks and worker of two versions may not understand each other.';
  if (version !== VERSION) return missing(`What Claude Code loads is of version ${version}, and this is ${VERSION}.`, why);
  if (!existsSync(join(folder, 'runtime/dist/hook.js'))) return missing(`${folder}/runtime is not whole.`);
  const lost = places.find((place) => !isLoaded(place, folder));
  if (lost) return missing(`${nameWay(lost)} is not enabled in Claude Code's settings.`);
  const loaded = `Claude Code loads ${places.map(nameWay).join(', ')}, version ${version}`;
  if (settings?.disableAllHooks !== true) return ok('hooks', loaded);
  return problem('hooks', '"disableAllHooks" is set in Claude Code\'s settings.', UNSEEN, `Take it out of ${file}`);
}

const examineAgents: Examine = ({ paths }) => {
  const folder = marketplaceFolder(paths);
  return (readMark(folder)?.agents ?? []).flatMap((place) => {
    const { title, afterwards, lacks } = setupOf(place.agent);
    if (isWhole(place, folder)) return ok(place.agent, `${title} has our hooks (${lacks}). ${afterwards}`.trim());
    return problem(
      place.agent,
      `${title} does not have our hooks any more: its files were changed.`,
      UNSEEN,
      `claude-mem install --agent ${place.agent}`,
    );
  });
};

function isLoaded(place: Place, folder: string): boolean {
  const text = readText(settingsFile(place)) ?? '';
  if (place.mode === 'traditional') return hasHooks(text, launcherIn(folder));
  return readClaudeSettings(place.claudeFolder)?.enabledPlugins?.[PLUGIN_ID] === true;
}

/** The first may have had to start the worker, which takes its time on a busy machine. */
const TRIES = 3;
const AGAIN_MS = 300;

/** The real hook, as Claude Code would run it, with an event that the store takes back. */
export async function examineHook(paths: Paths): Promise<Finding[]> {
  const session = selfTestSession(crypto.randomUUID());
  let output = '';
  for (let tried = 0; tried < TRIES; tried++) {
    if (tried > 0)
      do await Bun.sleep(AGAIN_MS);
      while (isStarting(paths));
    const started = performance.now();
    output = await runHook(paths, session);
    const ms = (performance.now() - started).toFixed(0);
    if (output === selfTestAnswer(session)) return ok('self-test', `a hook reached the store and came back in ${ms} ms`);
  }
  const what = `A hook got no answer from the worker (it printed ${JSON.stringify(output.slice(0, 80))}).`;
  const why = 'What happens waits in the offline queue, and sessions get no context.';
  return problem('self-test', what, why, 'claude-mem restart');
}

async function runHook(paths: Paths, session: string): Promise<string> {
  const launcher = join(marketplaceFolder(paths), 'runtime/bin/start-bun');
  const own = startBun(join(findPackage().dist, 'hook.js'), { args: ['save'] });
  const command = existsSync(launcher) ? [launcher, 'hook.js', 'save'] : own;
  const payload = {
    session_id: session,
    cwd: paths.dataDir,
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'true' },
    tool_response: { stdout: '' },
    tool_use_id: session,
  };
  const env = workerEnvironment(paths.dataDir);
  const child = Bun.spawn(command, { env, stdin: Buffer.from(JSON.stringify(payload)), stdout: 'pipe', stderr: 'ignore' });
  const output = await child.stdout.text();
  await child.exited;
  return output.trim();
}

/** The gravest first. */
export const EXAMINATIONS: [string, Examine][] = [
  ['database', examineStore],
  ['health', examineHealth],
  ['worker', examineWorker],
  ['data dir', examineDataDir],
  ['disk', examineSpace],
  ['backups', examineBackups],
  ['settings', examineSettings],
  ['hooks', examineRegistration],
  ['agents', examineAgents],
  ['runtime', examineRuntime],
  ['sockets', examineSockets],
  ['port', examinePort],
  ['model', examineModel],
  ['clock', examineClock],
  ['command', examineCommand],
];
