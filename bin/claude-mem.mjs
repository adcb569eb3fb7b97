#!/usr/bin/env node
// The `claude-mem` command as npm links it: node finds Bun and hands over. Hooks call Bun directly and never come through here.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findBun } from './find-bun.mjs';

const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

const launcher = fileURLToPath(new URL('start-bun', import.meta.url));
const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const bun = findBun();
if (bun === null) {
  fail('its runtime, the npm package "bun", is not installed here', 'run `npm install` again, without --omit=optional');
} else if (!existsSync(cli)) {
  fail(`${cli} does not exist`, 'in a checkout run `npm run prepare`; otherwise install claude-mem again');
} else {
  // Bun would obey what a repository left where the user happens to be: it is started in the one way in which it does not.
  run('/bin/sh', [launcher, `--bun=${bun}`, 'cli.js', ...process.argv.slice(2)]);
}

function run(program, args) {
  const child = spawn(program, args, { stdio: 'inherit' });
  for (const signal of FORWARDED_SIGNALS) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`${program} did not start (${error.message})`, 'install claude-mem again'));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    // Die of the same signal, so that the caller sees what really happened.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function fail(reason, remedy) {
  console.error(`claude-mem cannot start: ${reason}.\nTo repair it: ${remedy}.`);
  process.exitCode = 1;
}
