// A connection to the worker that asks one line at a time and waits for its answer.

export type LineClient = { ask: (line: string) => Promise<string>; close: () => void };

export async function connectLines(path: string): Promise<LineClient> {
  let rest: Uint8Array = new Uint8Array(0);
  let answer = '';
  let resolve: (line: string) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const flush = (to: { write: (bytes: Uint8Array) => number }) => {
    // write() may take only a part: the rest waits for drain.
    if (rest.length > 0) rest = rest.subarray(Math.max(0, to.write(rest)));
  };
  const socket = await Bun.connect({
    unix: path,
    socket: {
      drain: flush,
      data(_, bytes) {
        answer += bytes.toString('utf8');
        if (!answer.endsWith('\n')) return;
        const line = answer.slice(0, -1);
        answer = '';
        resolve(line);
      },
      close: () => reject(new Error('the worker hung up')),
      error: (_, error) => reject(error),
    },
  });
  return {
    ask: (line) =>
      new Promise((onAnswer, onError) => {
        resolve = onAnswer;
        reject = onError;
        rest = Buffer.from(`${line}\n`);
        flush(socket);
      }),
    close: () => socket.end(),
  };
}
