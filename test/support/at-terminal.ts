// Runs a command of the CLI as a person at a terminal would, for callers that have none to give: `bun at-terminal.ts CLI ARGS…`.
import { runAtTerminal } from './sandbox.ts';

const { stdout, stderr, code } = await runAtTerminal([process.execPath, ...process.argv.slice(2)], process.env as never);
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exit(code ?? 1);
