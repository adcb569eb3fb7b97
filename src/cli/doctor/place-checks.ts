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
  if (pinned === Bun.version) return [ok('runtime', `Bun ${Bun.version}, as pinned`)];
  return [
    problem('runtime', `Bun ${Bun.version} runs this, and ${pinned} is the one it was tested with.`, {
      why: 'Another version may read the bundles or the database otherwise.',
      remedy: 'npm install --global claude-mem',
    }),
  ];
};

export const examineDataDir: Examine = ({ paths }) => {
  const { dataDir } = paths;
  if (!existsSync(dataDir)) return [ok('data dir', `${dataDir} is made by the first session`)];
  const obstacle = describeForeign(paths) ?? describeUnwritable(paths);
  if (obstacle) return [problem('data dir', obstacle, { why: 'Nothing can be kept.', remedy: 'Do what it says.' })];
  const mode = statSync(dataDir).mode & 0o777;
  if ((mode & 0o077) === 0) return [ok('data dir', `${dataDir}, for you alone`)];
  return [
    problem('data dir', `Other users can look into ${dataDir} (mode ${mode.toString(8)}).`, {
      why: 'It holds what you and your agents said.',
      remedy: `chmod 700 ${dataDir}`,
      fix: () => {
        chmodSync(dataDir, 0o700);
        return 'closed the data dir to other users';
      },
    }),
  ];
};

export const examineSettings: Examine = ({ paths }) => {
  const open = describeOpenKey(paths.config);
  const wrong = loadConfig(paths.config).problems.map((text) =>
    problem('settings', text, { why: 'A setting does not count as you meant it.', remedy: 'claude-mem config' }),
  );
  const key = open
    ? [
        problem('settings', open, {
          why: 'Whoever has the key spends your money.',
          remedy: `chmod 600 ${paths.config}`,
          fix: () => closeSettings(paths.config) ?? '',
        }),
      ]
    : [];
  const found = [...key, ...wrong];
  return found.length > 0 ? found : [ok('settings', 'all of them count')];
};

export const examineSpace: Examine = ({ paths, health }) => {
  // A worker says it with what it means for it.
  if (health || !existsSync(paths.dataDir)) return [];
  const { bytes } = readRoom(paths.dataDir);
  const said = `${(bytes / 1e6).toFixed(0)} MB free`;
  if (bytes >= RESERVED_BYTES) return [ok('disk', said)];
  return [problem('disk', `The disk is full (${said}).`, { why: 'Nothing new is kept.', remedy: 'Delete something.' })];
};

/** A file that was written in the future. */
export const examineClock: Examine = ({ paths }) => {
  const written = statSync(paths.database, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (written <= Date.now() + 300_000) return [ok('clock', new Date().toISOString())];
  return [
    problem('clock', `The clock says ${new Date().toISOString()}, and memory.db was written later than that.`, {
      why: 'Memories get times that are out of order, and pauses end at other times than you said.',
      remedy: 'Set the clock of this machine.',
    }),
  ];
};

export const examineCommand: Examine = () => {
  const { dist } = findPackage();
  const said = describeCommand({ dist }, shellPath());
  if (said === null) return [ok('command', `claude-mem in your shell is the one in ${dirname(dist)}`)];
  return [
    problem('command', said, {
      why: 'Every remedy here begins with that word.',
      remedy: `npm install --global ${dirname(dist)}`,
    }),
  ];
};

/** Every page and every row, in a process of its own; what it finds the next session hears of, too. */
export const examineStore: Examine = async ({ paths }) => {
  if (!statSync(paths.database, { throwIfNoEntry: false })?.size) return [ok('database', 'is made by the first session')];
  const { damage } = await runChild({ kind: 'check', paths, isDeep: true });
  if (damage.length > 0) noteDamage(paths, damage);
  const known = readDamage(paths);
  if (known === null) return [ok('database', 'every page and row is as it was written')];
  const remedy = known.howToMend;
  return [
    problem('database', `The memory is damaged (${known.what.join('; ')}).`, {
      why: 'Memories may be gone or wrong.',
      remedy,
    }),
  ];
};
