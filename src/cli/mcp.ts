// The MCP server's process: stdin and stdout are its client. It ends with its parent, whatever is under way.
import { createMemoryApi, refuseIncognito } from '../client/memory-api.ts';
import { serveLines } from '../mcp/serve-lines.ts';
import { createMcpServer } from '../mcp/server.ts';
import { findAgentPlace, findPaths } from '../paths.ts';
import { runToEnd } from './describe-error.ts';
import { VERSION } from './version.ts';

const PARENT_WATCH_MS = 1000;

/** Resolves when the client has gone. */
export async function runMcp(): Promise<void> {
  const parent = process.ppid;
  // A pipe that somebody else holds open does not end with the client; the client's own life does.
  setInterval(() => process.ppid !== parent && process.exit(0), PARENT_WATCH_MS).unref();
  // Nobody reads any more: that is the end, not an error.
  process.stdout.on('error', () => process.exit(0));
  const paths = findPaths();
  const place = findAgentPlace();
  const calls = refuseIncognito(createMemoryApi(paths, place));
  const server = createMcpServer({ calls, scope: { cwd: place.cwd }, version: VERSION });
  await serveLines(server, {
    input: Bun.stdin.stream(),
    write: (line) => new Promise((resolve) => process.stdout.write(`${line}\n`, () => resolve())),
  });
}

if (import.meta.main) runToEnd(runMcp());
