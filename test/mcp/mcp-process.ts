// The built MCP server as a process, spoken to over its pipes.
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');
export const DIST = join(ROOT, 'dist');
export const PLUGIN = join(ROOT, 'plugin');

export const MCP_COMMAND = [process.execPath, `--cwd=${DIST}`, join(DIST, 'mcp.js')];

// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at field by field.
type Answer = any;

export function startMcp(env: Record<string, string>, command = MCP_COMMAND, cwd = ROOT) {
  const child = Bun.spawn(command, { cwd, env, stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' });
  const answers: Answer[] = [];
  let wake: () => void = () => undefined;
  const read = readLines(child.stdout, (line) => {
    answers.push(JSON.parse(line));
    wake();
  });
  const send = (line: string | Uint8Array) => {
    child.stdin.write(line);
    child.stdin.flush();
  };
  let last = 0;
  return {
    child,
    answers,
    send,
    /** Writes a request and waits for its answer, whatever else is said meanwhile. */
    async request(method: string, params?: unknown): Promise<Answer> {
      const id = `request-${++last}`;
      send(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      for (;;) {
        const answer = answers.find((one) => one.id === id);
        if (answer) return answer;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async end() {
      child.stdin.end();
      await read;
      return { code: await child.exited, stderr: await new Response(child.stderr).text() };
    },
  };
}

async function readLines(stream: ReadableStream<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of stream) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  }
}
