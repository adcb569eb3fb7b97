// An embedder whose work is done in a process of its own: started when needed, gone when idle, replaced when it fails.
import { type Embedder, EmbedderError, type EmbedderErrorKind, type EmbedKind } from './embedder.ts';
import { ENGINES, type EngineName } from './engines.ts';

/** One text at a time, so that a query never waits for more than one. */
export type ChildRequest = { text: string; kind: EmbedKind };
export type ChildAnswer = { kind: 'vector'; vector: Int8Array } | { kind: 'failure'; errorKind: EmbedderErrorKind; reason: string };

type EndReason = 'idle' | 'closed' | 'late' | 'crashed';
type ChildEvent = { kind: 'started'; pid: number } | { kind: 'ended'; pid: number; reason: EndReason };

type ChildEmbedderOptions = {
  engine: EngineName;
  /** The program and its assets, as findEmbedder() gives them; the name of the engine is added. */
  command: string[];
  /** Without a request for so long, the process ends and gives its memory back. */
  idleMs?: number;
  /** How long one text may take, loading included. A process that needs longer is killed. */
  deadlineMs?: number;
  onEvent?: (event: ChildEvent) => void;
};

const IDLE_MS = 20_000;
const DEADLINE_MS = 10_000;

type Request = {
  kind: EmbedKind;
  texts: string[];
  /** Of the texts that are done. */
  vectors: Int8Array[];
  resolve: (vectors: Int8Array[]) => void;
  reject: (error: EmbedderError) => void;
};

type Child = ReturnType<typeof spawn>;

/**
 * Queries overtake documents: between two texts the oldest query comes first. A request whose text brings the process down is
 * rejected, not repeated: the text may be the reason.
 */
export class ChildEmbedder implements Embedder {
  readonly id: string;
  readonly dimension: number;
  private readonly options: ChildEmbedderOptions;
  private readonly waiting = new Set<Request>();
  private child: Child | null = null;
  private current: Request | null = null;
  private timer: Timer | undefined;
  private isClosed = false;

  constructor(options: ChildEmbedderOptions) {
    this.options = options;
    ({ id: this.id, dimension: this.dimension } = ENGINES[options.engine]);
  }

  embed(texts: string[], kind: EmbedKind): Promise<Int8Array[]> {
    if (this.isClosed) return Promise.reject(new EmbedderError('closed', 'The embedder is closed.'));
    if (texts.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      this.waiting.add({ kind, texts, vectors: [], resolve, reject });
      this.goOn();
    });
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.current = null;
    for (const { reject } of this.waiting) reject(new EmbedderError('closed', 'The embedder was closed.'));
    this.waiting.clear();
    await this.end('closed');
  }

  private goOn(): void {
    if (this.current || this.isClosed) return;
    clearTimeout(this.timer);
    this.current = [...this.waiting].find(({ kind }) => kind === 'query') ?? [...this.waiting][0] ?? null;
    if (this.current) this.send(this.current);
    else if (this.child) this.timer = setTimeout(() => this.end('idle'), this.options.idleMs ?? IDLE_MS);
  }

  private send({ texts, vectors, kind }: Request): void {
    const { deadlineMs = DEADLINE_MS } = this.options;
    try {
      this.child ??= this.start();
      this.timer = setTimeout(() => this.fail('late', `gave no vector within ${deadlineMs} ms`), deadlineMs);
      this.child.send({ text: texts[vectors.length] ?? '', kind } satisfies ChildRequest);
    } catch (cause) {
      this.settle(cause instanceof EmbedderError ? cause : new EmbedderError('transient', String(cause), { cause }));
    }
  }

  private start(): Child {
    const { command, engine, onEvent } = this.options;
    const started = spawn([...command, engine], {
      onAnswer: (answer) => {
        if (this.child === started) this.take(answer);
      },
      onExit: (how) => {
        if (this.child === started) this.fail('crashed', how);
      },
    });
    onEvent?.({ kind: 'started', pid: started.pid });
    return started;
  }

  private take(answer: ChildAnswer): void {
    if (answer.kind === 'vector') this.current?.vectors.push(answer.vector);
    const isDone = this.current?.vectors.length === this.current?.texts.length;
    this.settle(answer.kind === 'failure' ? new EmbedderError(answer.errorKind, answer.reason) : isDone ? null : undefined);
  }

  /** Ends what is being done: with an error, with its vectors (null), or so that something else may come before its next text. */
  private settle(error?: EmbedderError | null): void {
    const request = this.current;
    this.current = null;
    if (request && error !== undefined) {
      this.waiting.delete(request);
      if (error) request.reject(error);
      else request.resolve(request.vectors);
    }
    this.goOn();
  }

  private fail(reason: 'crashed' | 'late', how: string): void {
    this.end(reason);
    this.settle(new EmbedderError('transient', `The embedding process ${how}.`));
  }

  /** At once: it keeps nothing that could be lost. */
  private async end(reason: EndReason): Promise<void> {
    clearTimeout(this.timer);
    const ended = this.child;
    this.child = null;
    if (!ended) return;
    this.options.onEvent?.({ kind: 'ended', pid: ended.pid, reason });
    ended.kill('SIGKILL');
    await ended.exited;
  }
}

/** With nothing of our environment. Throws an EmbedderError of kind settings when there is no such program. */
function spawn(command: string[], on: { onAnswer: (answer: ChildAnswer) => void; onExit: (how: string) => void }) {
  try {
    return Bun.spawn(command, {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore'],
      serialization: 'advanced',
      ipc: on.onAnswer,
      onExit: (_process, code, signal) => on.onExit(signal === null ? `ended with code ${code}` : `died of signal ${signal}`),
    });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw new EmbedderError('settings', `${command[0]} cannot be run (${code}). Install claude-mem again.`, { cause });
  }
}
