// What npm runs after `npm install` in a checkout and before `npm pack`: finds Bun and lets it build.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findBun } from '../bin/find-bun.mjs';

const bun = findBun();
if (bun === null) {
  console.error('Cannot build: the npm package "bun" is not installed. Run `npm install` without --omit=optional.');
  process.exit(1);
}
// Bun would keep what it read in the person's HOME.
const env = { ...process.env, BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0' };
const build = spawnSync(bun, [fileURLToPath(new URL('build.ts', import.meta.url))], { stdio: 'inherit', env });
if (build.error) console.error(`Cannot build: ${bun} did not start (${build.error.message}).`);
process.exit(build.status ?? 1);
