// One line to the worker, one line back. Hot path: no packages, no node: modules.

export type SendResult =
  | { kind: 'answer'; line: string }
  /** Nobody listens: the worker is not running. */
  | { kind: 'down' }
  /** It hung up before it answered: it ended just now. */
  | { kind: 'closed' }
  /** It took the call and does not answer. */
  | { kind: 'silent' };

/** Connected, or about to be; what it says is known later. */
export type OpenLine = { send: (line: string, timeoutMs: number) => Promise<SendResult> };

export const sendLine = (socketPath: string, line: string, timeoutMs: number): Promise<SendResult> =>
  openLine(socketPath).send(line, timeoutMs);

export function openLine(socketPath: string): OpenLine {
  const { promise, resolve } = Promise.withResolvers<SendResult>();
  let timer: Timer | undefined;
  const settle = (result: SendResult) => {
    clearTimeout(timer);
    resolve(result);
  };
  let rest = new Uint8Array();
  let answer = '';
  let open: { write: (bytes: Uint8Array) => number } | null = null;
  const flush = (socket: NonNullable<typeof open>) => {
    open = socket;
    // write() may take only a part: the rest waits for drain.
    if (rest.length > 0) rest = rest.subarray(Math.max(0, socket.write(rest)));
  };
  const decoder = new TextDecoder();
  const close = () => settle({ kind: 'closed' });
  Bun.connect({
    unix: socketPath,
    socket: {
      open: flush,
      drain: flush,
      data(socket, bytes) {
        answer += decoder.decode(bytes, { stream: true });
        const end = answer.indexOf('\n');
        if (end < 0) return;
        settle({ kind: 'answer', line: answer.slice(0, end) });
        socket.end();
      },
      close,
      error: close,
    },
  }).catch(() => settle({ kind: 'down' }));
  return {
    send(line, timeoutMs) {
      timer = setTimeout(() => settle({ kind: 'silent' }), timeoutMs);
      rest = new TextEncoder().encode(`${line}\n`);
      if (open) flush(open);
      return promise;
    },
  };
}
