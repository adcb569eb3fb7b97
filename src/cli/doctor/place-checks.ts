// What `doctor` looks at without a worker: runtime, data dir, settings, clock, the command in the shell, and the database itself.
import { chmodSync, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { noteDamage, readDamage } from '../../backup/damage.ts';
import { runChild } from '../../backup/process.ts';
import { describeUnwritable } from '../../client/writable.ts';
import { closeSettings, describeOpenKey, loadConfig } from '../../config.ts';
import { describeForeign, RESERVED_BYTES, readRoom } from '../../own-files.ts';
import { shellPath } from '../../paths.ts';
import { describeCommand, findPackage, pinnedBun } from '../install/find-package.ts';
import { type Examine, ok, problem } from './finding.ts';

export const examineRuntime: Examine = () => {
  const pinned = pinnedBun();
  if (pinned === Bun.version) return ok('runtime', `Bun ${Bun.version}, as pinned`);
  const why = 'Another version may read the bundles or the database otherwise.';
  return problem(
    'runtime',
    `Bun ${Bun.version} runs this, and ${pinned} is the one it was tested with.`,
    why,
    'npm install --global claude-mem',
  );
};

export const examineDataDir: Examine = ({ paths }) => {
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

export const examineSettings: Examine = ({ paths: { config } }) => {
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

export const examineSpace: Examine = ({ paths, health }) => {
  // A worker says it with what it means for it.
  if (health || !existsSync(paths.dataDir)) return [];
  const { bytes } = readRoom(paths.dataDir);
  const said = `${(bytes / 1e6).toFixed(0)} MB free`;
  if (bytes >= RESERVED_BYTES) return ok('disk', said);
  return problem('disk', `The disk is full (${said}).`, 'Nothing new is stored.', 'Delete something.');
};

/** A file that was written in the future. */
export const examineClock: Examine = ({ paths }) => {
  const now = new Date().toISOString();
  const written = statSync(paths.database, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (written <= Date.now() + 300_000) return ok('clock', now);
  const why = 'Memories get times that are out of order, and pauses end at other times than you said.';
  return problem('clock', `The clock says ${now}, and memory.db was written later than that.`, why, 'Set the clock of this machine.');
};

export const examineCommand: Examine = () => {
  const { dist } = findPackage();
  const said = describeCommand({ dist }, shellPath());
  if (said === null) return ok('command', `claude-mem in your shell is the one in ${dirname(dist)}`);
  return problem('command', said, 'Every remedy here begins with that word.', `npm install --global ${dirname(dist)}`);
};

/** Every page and every row, in a process of its own; the next session reports what it finds, too. */
export const examineStore: Examine = async ({ paths }) => {
  if (!statSync(paths.database, { throwIfNoEntry: false })?.size) return ok('database', 'is made by the first session');
  const { damage } = await runChild({ kind: 'check', paths, isDeep: true });
  if (damage.length > 0) noteDamage(paths, damage);
  const known = readDamage(paths);
  if (known === null) return ok('database', 'every page and row is as it was written');
  return problem('database', `The memory is damaged (${known.what.join('; ')}).`, 'Memories may be missing or incorrect.', known.howToMend);
};
