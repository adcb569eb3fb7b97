// The hook as it is, but with no time to work at all: `bun hook-without-time.ts save < payload.json`.

import { runHook } from '../../src/hook/run-hook.ts';
import { createWorkClock } from '../../src/hook/work-clock.ts';

// A test says which.
const command = process.argv[2] as Parameters<typeof runHook>[0];
const output = await runHook(command, { clock: createWorkClock(0) });
if (output) console.log(output);
process.exit(0);
