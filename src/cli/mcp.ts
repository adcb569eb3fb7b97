// The MCP server's process: stdin and stdout are its client. It ends with its parent, whatever is under way.
import { createMemoryApi, refuseIncognito } from '../client/memory-api.ts';
import { createLineReader } from '../core/line-reader.ts';
import { errorLine, PARSE_ERROR, readLine } from '../mcp/json-rpc.ts';
import { createMcpServer, type McpServer } from '../mcp/server.ts';
import { findAgentPlace, findPaths, isUnattended } from '../paths.ts';
import { VERSION } from './version.ts';

const PARENT_WATCH_MS = 1000;
/** `claude -p` waits 60 ms for a server to end, and starts one that has ended when it is called: nobody waits for one that is not there. */
const UNCALLED_MS = 100;

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

// The server on a stream: lines in as they come, answers out as they are ready.

type LineStream = {
  input: ReadableStream<Uint8Array>;
  /** Takes one line, without its end. Resolves when it is on its way. */
  write: (line: string) => Promise<void>;
};

/** More than any message in earnest. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** Who closes the pipe and still wants the answers to what was asked gets this long. */
const LAST_ANSWERS_MS = 1500;

async function serveLines(server: McpServer, { input, write }: LineStream): Promise<void> {
  const open = new Set<Promise<void>>();
  const follow = (work: Promise<void>) => {
    open.add(work);
    work.finally(() => open.delete(work));
  };
  const answer = async (line: string) => {
    const said = line.trim() === '' ? null : await server.answer(readLine(line));
    if (said !== null) await write(said);
  };
  const reader = createLineReader(
    MAX_LINE_BYTES,
    (line) => follow(answer(line)),
    () => follow(write(TOO_LONG)),
  );
  for await (const bytes of input) reader.push(bytes);
  reader.end();
  await Promise.race([Promise.all(open), Bun.sleep(LAST_ANSWERS_MS)]);
}

const TOO_LONG = errorLine(null, {
  code: PARSE_ERROR,
  message: `A line of over ${MAX_LINE_BYTES} bytes was dropped.`,
});

/** No top-level await: with bytecode the bundle is CommonJS. What describes an error is loaded with the tools. */
async function fail(error: unknown): Promise<void> {
  const { plainLine } = await import('../mcp/run-tools.ts');
  console.error(plainLine(error instanceof Error ? error.message : String(error), 2000));
  process.exit(1);
}

// Last: what it uses is declared above.
if (import.meta.main) runMcp().then(() => process.exit(0), fail);
