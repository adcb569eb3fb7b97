// The server on a stream: lines in as they come, answers out as they are ready.
import { createLineReader } from '../core/line-reader.ts';
import { errorLine, PARSE_ERROR, readLine } from './json-rpc.ts';
import type { McpServer } from './server.ts';

type LineStream = {
  input: ReadableStream<Uint8Array>;
  /** Takes one line, without its end. Resolves when it is on its way. */
  write: (line: string) => Promise<void>;
};

/** More than any message in earnest. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** Who closes the pipe and still wants the answers to what was asked gets this long. */
const LAST_ANSWERS_MS = 1500;

/** Resolves when the input has ended and what was under way is answered, or has had its time. */
export async function serveLines(server: McpServer, { input, write }: LineStream): Promise<void> {
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
