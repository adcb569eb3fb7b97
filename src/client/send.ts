// One line to the worker, one line back. Hot path: no packages, no node: modules.

export type SendResult =
  | { kind: 'answer'; line: string }
  /** Nobody listens: the worker is not running. */
  | { kind: 'down' }
  /** It hung up before it answered: it ended just now. */
  | { kind: 'closed' }
  /** It took the call and does not answer. */
  | { kind: 'silent' };

export function sendLine(socketPath: string, line: string, timeoutMs: number): Promise<SendResult> {
  return new Promise((resolve) => {
    let rest: Uint8Array = new TextEncoder().encode(`${line}\n`);
    let answer = '';
    let settle = (result: SendResult) => {
      settle = () => undefined;
      clearTimeout(timer);
      resolve(result);
    };
    const timer = setTimeout(() => settle({ kind: 'silent' }), timeoutMs);
    const flush = (socket: { write: (bytes: Uint8Array) => number }) => {
      // write() may take only a part: the rest waits for drain.
      if (rest.length > 0) rest = rest.subarray(Math.max(0, socket.write(rest)));
    };
    const decoder = new TextDecoder();
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
        close: () => settle({ kind: 'closed' }),
        error: () => settle({ kind: 'closed' }),
      },
    }).catch(() => settle({ kind: 'down' }));
  });
}
