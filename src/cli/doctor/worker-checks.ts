// What `doctor` looks at in the worker: that it answers, by both sockets, in this version; and what it says of itself.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { callApi } from '../../client/api.ts';
import { findRefuser } from '../../client/ping.ts';
import { loadConfig } from '../../config.ts';
import { selfTestAnswer, selfTestSession } from '../../core/envelope.ts';
import { findMissingLogin } from '../../environment.ts';
import { workerEnvironment } from '../../paths.ts';
import { startBun } from '../../start-bun.ts';
import { restart, start } from '../commands/start.ts';
import { describeOthers, findClaudeFolder, readClaudeSettings } from '../install/claude-folder.ts';
import { findPackage } from '../install/find-package.ts';
import { marketplaceFolder, PLUGIN_ID, readMark } from '../install/plugin-folder.ts';
import { VERSION } from '../version.ts';
import { type Examine, type Finding, ok, type Patient, problem } from './finding.ts';

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
  const refuser = await findRefuser(paths);
  if (refuser !== null)
    return [
      problem('worker', `The worker keeps nothing: ${refuser.reason}`, {
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

export const examineModel: Examine = ({ paths, status }) => {
  if (!status || status.model.pause) return [];
  const { provider, model, why } = status.model;
  const missing = provider ? findMissingLogin(loadConfig(paths.config).config) : null;
  if (missing)
    return [
      problem('model', `${missing.what} Nobody can ask ${provider}, ${model}.`, {
        why: 'Memories are made by rules alone.',
        remedy: missing.remedy,
      }),
    ];
  return [ok('model', provider ? `${provider}, ${model}` : why)];
};

/** What `doctor` looks at in the hooks: that Claude Code loads them, and that one reaches the store and comes back. */
const UNSEEN = 'Nothing is captured, and sessions are told nothing.';

export const examineRegistration: Examine = ({ paths }) => {
  const folder = marketplaceFolder(paths);
  const settings = readClaudeSettings(findClaudeFolder());
  const others = describeOthers(settings).map((said) =>
    problem('hooks', said, {
      why: 'Two memories of one session disturb each other.',
      remedy: /: (claude plugin .*)$/.exec(said)?.[1] ?? `Take them out of ${findClaudeFolder()}/settings.json`,
    }),
  );
  return [findRegistration(readMark(folder)?.version ?? null, folder, settings), ...others];
};

function findRegistration(version: string | null, folder: string, settings: Record<string, unknown> | null): Finding {
  const install = { why: UNSEEN, remedy: 'claude-mem install' };
  if (version === null) return problem('hooks', 'Claude Code does not load the plugin: it is not installed.', install);
  if (version !== VERSION)
    return problem('hooks', `The plugin that Claude Code loads is of version ${version}, and this is ${VERSION}.`, {
      why: 'Hooks and worker of two versions may not understand each other.',
      remedy: 'claude-mem install',
    });
  if (!existsSync(join(folder, 'runtime/dist/hook.js'))) return problem('hooks', `${folder}/runtime is not whole.`, install);
  const enabled = (settings?.enabledPlugins ?? {}) as Record<string, unknown>;
  if (enabled[PLUGIN_ID] !== true) return problem('hooks', `${PLUGIN_ID} is not enabled in Claude Code's settings.`, install);
  if (settings?.disableAllHooks === true)
    return problem('hooks', '"disableAllHooks" is set in Claude Code\'s settings.', {
      why: UNSEEN,
      remedy: `Take it out of ${findClaudeFolder()}/settings.json`,
    });
  return ok('hooks', `Claude Code loads ${PLUGIN_ID}, version ${version}`);
}

/** The first may have had to start the worker. */
const TRIES = 3;
const AGAIN_MS = 300;

/** The real hook, as Claude Code would run it, with an event that the store takes back. */
export const examineHook: Examine = async (patient) => {
  const session = selfTestSession(crypto.randomUUID());
  let said: HookRun = { output: '', ms: 0 };
  for (let tried = 0; tried < TRIES; tried++) {
    if (tried > 0) await Bun.sleep(AGAIN_MS);
    said = await runHook(patient, session);
    if (said.output === selfTestAnswer(session))
      return [ok('self-test', `a hook reached the store and came back in ${said.ms.toFixed(0)} ms`)];
  }
  return [
    problem('self-test', `A hook got no answer from the worker (it printed ${JSON.stringify(said.output.slice(0, 80))}).`, {
      why: 'What happens waits in the offline queue, and sessions are told nothing.',
      remedy: 'claude-mem restart',
    }),
  ];
};

type HookRun = { output: string; ms: number };

async function runHook({ paths }: Patient, session: string): Promise<HookRun> {
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
  const started = performance.now();
  const child = Bun.spawn(command, {
    env: workerEnvironment(paths.dataDir),
    stdin: Buffer.from(JSON.stringify(payload)),
    stdout: 'pipe',
    stderr: 'ignore',
  });
  const output = (await child.stdout.text()).trim();
  await child.exited;
  return { output, ms: performance.now() - started };
}
