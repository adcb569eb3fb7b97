// An embedder whose work is done in a process of its own: started when needed, gone when idle, replaced when it fails.
import { type Embedder, EmbedderError } from './embedder.ts';
import { ENGINES, type EngineName } from './engines.ts';
import { createRequestQueue, type Request } from './request-queue.ts';
import { type Child, startChild } from './start-child.ts';
import type { ChildAnswer } from './wire.ts';

export type ChildEvent =
  | { kind: 'started'; pid: number }
  | { kind: 'ended'; pid: number; reason: EndReason; text: string };

type EndReason = 'idle' | 'closed' | 'late' | 'crashed';

export type ChildEmbedderOptions = {
  engine: EngineName;
  /** As findEmbedder() gives it: the program and its assets; the name of the engine is added. */
  child: { command: string[] };
  /** Without a request for so long, the process ends and gives its memory back. */
  idleMs?: number;
  /** How long one text may take, loading included. A process that needs longer is killed. */
  deadlineMs?: number;
  clock?: () => number;
  onEvent?: (event: ChildEvent) => void;
};

const IDLE_MS = 20_000;
const DEADLINE_MS = 10_000;
const CRASHES_BEFORE_REST = 3;
const REST_MS = 30_000;

/**
 * Queries overtake documents: between two texts the oldest query comes first. A request whose text brings the process down is
 * rejected, not repeated: the text may be the reason. After three such in a row, all requests are rejected for 30 s.
 */
export function createChildEmbedder(options: ChildEmbedderOptions): Embedder {
  const { idleMs = IDLE_MS, deadlineMs = DEADLINE_MS, clock = Date.now, onEvent = () => undefined } = options;
  const { id, dimension } = ENGINES[options.engine];
  const queue = createRequestQueue();
  let child: Child | null = null;
  let current: Request | null = null;
  let timer: Timer | undefined;
  let crashes = 0;
  let restUntil = 0;
  let isClosed = false;

  const goOn = () => {
    if (current !== null || isClosed) return;
    clearTimeout(timer);
    if (clock() < restUntil) queue.failAll(resting(restUntil - clock()));
    const next = queue.next();
    if (next !== undefined) work(next);
    else if (child !== null) timer = setTimeout(() => end('idle', `No text came for ${idleMs} ms.`), idleMs);
  };

  const work = (request: Request) => {
    current = request;
    try {
      child ??= start();
      timer = setTimeout(() => onFailure('late', tooLate(deadlineMs)), deadlineMs);
      child.send({ text: request.texts[request.vectors.length] ?? '', kind: request.kind });
    } catch (cause) {
      const isOurs = cause instanceof EmbedderError;
      onFailure('crashed', isOurs ? cause : new EmbedderError('transient', String(cause), { cause }));
    }
  };

  const start = (): Child => {
    const command = [...options.child.command, options.engine];
    const onEnd = (how: string) =>
      onFailure('crashed', new EmbedderError('transient', `The embedding process ${how}.`));
    const started = startChild({ command, onAnswer, onEnd });
    onEvent({ kind: 'started', pid: started.pid });
    return started;
  };

  const onAnswer = (answer: ChildAnswer) => {
    if (current === null) return;
    crashes = 0;
    if (answer.kind === 'vector') queue.answer(current, answer.vector);
    else queue.fail(current, new EmbedderError(answer.errorKind, answer.reason));
    current = null;
    goOn();
  };

  /** An idle process that dies costs nobody anything, and is not counted. */
  const onFailure = (reason: 'crashed' | 'late', error: EmbedderError) => {
    end(reason, error.message);
    if (current !== null) {
      queue.fail(current, error);
      current = null;
      crashes += 1;
    }
    if (crashes >= CRASHES_BEFORE_REST) {
      crashes = 0;
      restUntil = clock() + REST_MS;
    }
    goOn();
  };

  const end = async (reason: EndReason, text: string) => {
    clearTimeout(timer);
    const ended = child;
    child = null;
    if (ended === null) return;
    onEvent({ kind: 'ended', pid: ended.pid, reason, text });
    await ended.end();
  };

  return {
    id,
    dimension,
    embed: (texts, kind) => {
      if (isClosed) return Promise.reject(new EmbedderError('closed', 'The embedder is closed.'));
      const vectors = queue.add(texts, kind);
      goOn();
      return vectors;
    },
    close: async () => {
      isClosed = true;
      current = null;
      queue.failAll(new EmbedderError('closed', 'The embedder was closed.'));
      await end('closed', 'It is not needed any more.');
    },
  };
}

function tooLate(deadlineMs: number): EmbedderError {
  return new EmbedderError('transient', `The embedding process gave no vector within ${deadlineMs} ms.`);
}

function resting(restMs: number): EmbedderError {
  const seconds = Math.ceil(restMs / 1000);
  return new EmbedderError(
    'transient',
    `The embedding process failed three times; it is started again in ${seconds} s.`,
  );
}
