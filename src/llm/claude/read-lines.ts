// The lines of a stream as they come, never more of them than one is ready to hold.
import { ModelError } from '../model-error.ts';

export type Reach = { maxBytes: number; signal: AbortSignal };

/**
 * Ends with the stream, or when the signal fires; a last line without its end is left out.
 * Throws a ModelError of kind bad-answer when more than so many bytes come.
 */
export async function* readLines(stream: ReadableStream<Uint8Array>, reach: Reach): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let unread: string[] = [];
  for await (const chunk of readUntil(stream, reach.signal)) {
    size += chunk.length;
    if (size > reach.maxBytes) throw new ModelError('bad-answer', `claude wrote more than ${reach.maxBytes} bytes.`);
    const [rest = '', ...later] = decoder.decode(chunk, { stream: true }).split('\n');
    unread.push(rest);
    for (const next of later) {
      yield unread.join('');
      unread = [next];
    }
  }
}

async function* readUntil(stream: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  // It may have ended or broken meanwhile: either way nothing more comes.
  const cancel = () => void reader.cancel().catch(() => null);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
