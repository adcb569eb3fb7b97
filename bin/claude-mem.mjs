#!/usr/bin/env -S -u NODE_OPTIONS node
// For whoever starts the command with node, or by this path: hands over to `claude-mem` beside it.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const command = fileURLToPath(new URL('claude-mem', import.meta.url));
const child = spawn('/bin/sh', [command, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code);
  // Die of the same signal, so that the caller sees what really happened.
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
