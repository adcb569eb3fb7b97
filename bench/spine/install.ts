// What a person waits for and pays in space: the packed package, installed by npm and by `claude-mem install`.
import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { installPacked } from '../../test/e2e/packed-install.ts';
import { atMost, type BenchDeps, type Benchmark, check, type Figure } from './benchmark.ts';
import { median } from './quantile.ts';
import { timeProcess } from './time-process.ts';

export const install: Benchmark = {
  name: 'install',
  about: 'npm install of the packed package and claude-mem install: seconds, space on disk, size of the package',
  run: measureInstall,
};

const GOAL_SECONDS = 10;
const GOAL_MB = 160;
const GOAL_PACKAGE_MB = 40;

async function measureInstall({ makeHome, isQuick, say }: BenchDeps): Promise<Figure[]> {
  const runs: { npm: number; own: number; mb: number; packageMb: number }[] = [];
  for (let round = 0; round < (isQuick ? 1 : 3); round++) {
    const home = makeHome();
    const prefix = join(home.home, 'prefix');
    say('packing and installing');
    const { tarball, ms } = await installPacked(home.home, prefix);
    const command = [join(prefix, 'node_modules/.bin/claude-mem'), 'install', '--traditional'];
    const own = await timeProcess({ command, env: home.env });
    check(own.stdout.includes('Wrote hooks'), `it was not installed: ${own.stdout}`);
    runs.push({
      npm: ms / 1000,
      own: own.ms / 1000,
      mb: spaceOf([prefix, home.paths.dataDir, join(home.home, '.claude')]) / 1e6,
      packageMb: statSync(tarball).size / 1e6,
    });
  }
  const of = (name: keyof (typeof runs)[number]) => median(runs.map((run) => run[name]));
  const [seconds, mb, packageMb] = [of('npm') + of('own'), of('mb'), of('packageMb')];
  const figure = (what: string, text: string, goal: Figure['goal'], values: Figure['values']): Figure => ({
    ...{ what, figure: text, ratio: null, goal, values },
  });
  const parts = `${seconds.toFixed(1)} s: npm ${of('npm').toFixed(1)} s, claude-mem install ${of('own').toFixed(2)} s`;
  return [
    figure('install, from the tarball to hooks', parts, atMost(seconds, GOAL_SECONDS, ' s'), { npm: of('npm'), own: of('own') }),
    figure('space on disk, package and runtime', `${mb.toFixed(0)} MB`, atMost(mb, GOAL_MB, ' MB'), { mb }),
    figure('size of the package', `${packageMb.toFixed(1)} MB`, atMost(packageMb, GOAL_PACKAGE_MB, ' MB'), { packageMb }),
  ];
}

/** A file with several names takes its space once. What the bench itself put into the home does not count. */
function spaceOf(folders: string[]): number {
  const files = folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile());
  const stats = files.map(({ parentPath, name }) => lstatSync(join(parentPath, name)));
  return [...new Map(stats.map(({ ino, blocks }) => [ino, blocks * 512])).values()].reduce((sum, size) => sum + size, 0);
}
