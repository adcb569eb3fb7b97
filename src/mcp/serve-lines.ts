// The server on a stream: lines in as they come, answers out as they are ready.
import { errorLine, PARSE_ERROR } from './json-rpc.ts';
import type { McpServer } from './server.ts';

type LineStream = {
  input: ReadableStream<Uint8Array>;
  /** Takes one line, without its end. Resolves when it is on its way. */
  write: (line: string) => Promise<void>;
};

/** More than any message in earnest. A longer line is dropped as it comes, so that memory stays flat. */
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
    const said = line.trim() === '' ? null : await server.answer(line);
    if (said !== null) await write(said);
  };
  const reader = createLineReader(
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

function createLineReader(onLine: (line: string) => void, onTooLong: () => void) {
  let held: Uint8Array[] = [];
  let size = 0;
  const hold = (bytes: Uint8Array) => {
    size += bytes.length;
    if (size <= MAX_LINE_BYTES) held.push(bytes);
    else held = [];
  };
  const end = () => {
    if (size > MAX_LINE_BYTES) onTooLong();
    else if (size > 0) onLine(new TextDecoder().decode(Buffer.concat(held)));
    held = [];
    size = 0;
  };
  return {
    push(bytes: Uint8Array) {
      let start = 0;
      for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, start)) {
        hold(bytes.subarray(start, at));
        end();
        start = at + 1;
      }
      hold(bytes.subarray(start));
    },
    end,
  };
}
