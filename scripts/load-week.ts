// bun scripts/load-week.ts FOLDER [PORT]: plays the demo's week into a home of its own, FOLDER, with the built programs: a memory (.claude-mem),
// a repository (parcels) and transcripts (.claude). No worker is left; the next hook or command there starts one.
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { indexWeek, playWeek, readWeek } from '../src/cli/demo/claude-session.ts';
import { openStage } from '../src/cli/demo/stage.ts';

const [folder = '', port = '0'] = process.argv.slice(2);
if (folder === '') throw new Error('Say where: bun scripts/load-week.ts FOLDER [PORT]');
mkdirSync(folder, { recursive: true });
const week = readWeek();
const stage = openStage({ home: realpathSync(folder), dist: join(import.meta.dir, '../dist'), port: Number(port) }, week);
try {
  await playWeek(stage, week);
  await indexWeek(stage);
} finally {
  await stage.close();
}
