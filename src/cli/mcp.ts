// The MCP server's process: stdin and stdout are its client. It ends with its parent, whatever is under way.
import { createMemoryApi, refuseIncognito } from '../client/memory-api.ts';
import { serveLines } from '../mcp/serve-lines.ts';
import { createMcpServer } from '../mcp/server.ts';
import { findAgentPlace, findPaths, isUnattended } from '../paths.ts';
import { VERSION } from './version.ts';

const PARENT_WATCH_MS = 1000;
/** `claude -p` waits 60 ms for a server to end, and starts one that has ended when it is called: nobody waits for one that is not there. */
const UNCALLED_MS = 100;

/** Resolves when the client has gone. */
export async function runMcp(): Promise<void> {
  const parent = process.ppid;
  // A pipe that somebody else holds open does not end with the client; the client's own life does.
  setInterval(() => process.ppid !== parent && process.exit(0), PARENT_WATCH_MS).unref();
  let uncalled: Timer | undefined;
  const onRequest = (method: string) => {
    clearTimeout(uncalled);
    if (method === 'tools/list' && isUnattended()) uncalled = setTimeout(() => process.exit(0), UNCALLED_MS);
  };
  const place = findAgentPlace();
  const calls = refuseIncognito(createMemoryApi(findPaths(), place));
  const server = createMcpServer({ calls, scope: { cwd: place.cwd }, version: VERSION, onRequest });
  // Not process.stdout: node's streams take a third of the time to the first answer.
  const stdout = Bun.stdout.writer();
  await serveLines(server, {
    input: Bun.stdin.stream(),
    async write(line) {
      try {
        stdout.write(`${line}\n`);
        await stdout.flush();
      } catch {
        // Nobody reads any more: that is the end, not an error.
        process.exit(0);
      }
    },
  });
}

/** No top-level await: with bytecode the bundle is CommonJS. What describes an error is loaded with the tools. */
async function fail(error: unknown): Promise<void> {
  const { plainLine } = await import('../mcp/run-tools.ts');
  console.error(plainLine(error instanceof Error ? error.message : String(error), 2000));
  process.exit(1);
}

if (import.meta.main) runMcp().then(() => process.exit(0), fail);
