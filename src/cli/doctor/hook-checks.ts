// What `doctor` looks at in the hooks: that Claude Code loads them, and that one reaches the store and comes back.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { selfTestAnswer, selfTestSession } from '../../core/self-test.ts';
import { workerEnvironment } from '../../paths.ts';
import { startBun } from '../../start-bun.ts';
import { findClaudeFolder, readClaudeSettings } from '../install/claude-folder.ts';
import { findPackage } from '../install/find-package.ts';
import { readMark } from '../install/install-mark.ts';
import { marketplaceFolder, PLUGIN_ID } from '../install/names.ts';
import { describeOthers } from '../install/other-memories.ts';
import { VERSION } from '../version.ts';
import { type Examine, type Finding, ok, type Patient, problem } from './finding.ts';

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
  if (!existsSync(join(folder, 'runtime/dist/hook.js')))
    return problem('hooks', `${folder}/runtime is not whole.`, install);
  const enabled = (settings?.enabledPlugins ?? {}) as Record<string, unknown>;
  if (enabled[PLUGIN_ID] !== true)
    return problem('hooks', `${PLUGIN_ID} is not enabled in Claude Code's settings.`, install);
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
    problem(
      'self-test',
      `A hook got no answer from the worker (it printed ${JSON.stringify(said.output.slice(0, 80))}).`,
      {
        why: 'What happens waits in the offline queue, and sessions are told nothing.',
        remedy: 'claude-mem restart',
      },
    ),
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
