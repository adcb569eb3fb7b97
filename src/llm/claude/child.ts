// A running `claude`: started with a chosen environment, spoken to in JSON lines, and surely ended.
import type { Subprocess } from 'bun';
import { ModelError } from '../model-error.ts';

export type Child = {
  pid: number;
  stdout: ReadableStream<Uint8Array>;
  /** Whether it is listening still shows in what it answers: a closed pipe is no error here. */
  send: (message: object) => void;
  /** Closes its input, gives it so long to leave, then makes it. Resolves when it is gone. */
  end: (graceMs: number) => Promise<void>;
  /** The last of what it said on stderr, when it has left. */
  complaint: () => Promise<string>;
};

export type Start = { path: string; args: string[]; cwd: string; environment: Record<string, string> };

const TERM_MS = 300;
const KILL_MS = 300;
const COMPLAINT_MS = 200;
const COMPLAINT_CHARS = 500;

/** Throws a ModelError of kind auth when there is no such program. */
export function startChild({ path, args, cwd, environment }: Start): Child {
  const child = spawn({ path, args, cwd, environment });
  const stderr = readTail(child.stderr);
  return {
    pid: child.pid,
    stdout: child.stdout,
    send: (message) => {
      ignoreClosedPipe(() => {
        child.stdin.write(`${JSON.stringify(message)}\n`);
        return child.stdin.flush();
      });
    },
    end: async (graceMs) => {
      ignoreClosedPipe(() => child.stdin.end());
      if (await settlesWithin(child.exited, graceMs)) return;
      signalGroup(child, 'SIGTERM');
      if (await settlesWithin(child.exited, TERM_MS)) return;
      signalGroup(child, 'SIGKILL');
      await settlesWithin(child.exited, KILL_MS);
    },
    complaint: async () => {
      await settlesWithin(stderr.ended, COMPLAINT_MS);
      return stderr.tail();
    },
  };
}

function spawn({ path, args, cwd, environment }: Start): Subprocess<'pipe', 'pipe', 'pipe'> {
  try {
    // A process group of its own: where `claude` is a script, what it starts is ended with it.
    const stdio = { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe', detached: true } as const;
    return Bun.spawn([path, ...args], { cwd, env: environment, ...stdio });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    const remedy = 'Set CLAUDE_CODE_PATH, or say `claude-mem config set claudePath /path/to/claude`.';
    throw new ModelError('auth', `${path} cannot be run (${code}). ${remedy}`, { cause });
  }
}

function ignoreClosedPipe(write: () => unknown): void {
  try {
    // The runtime throws or rejects as it likes when the reader is gone.
    Promise.resolve(write()).catch(() => null);
  } catch {
    // It has left; its last words and its exit tell why.
  }
}

async function settlesWithin(promise: Promise<unknown>, waitMs: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), waitMs);
  const isSettled = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return isSettled;
}

function signalGroup(child: Subprocess, signal: NodeJS.Signals): void {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // No groups on this system, or it has just left.
    child.kill(signal);
  }
}

function readTail(stream: ReadableStream<Uint8Array>): { ended: Promise<void>; tail: () => string } {
  const decoder = new TextDecoder();
  let tail = '';
  const read = async () => {
    for await (const chunk of stream) tail = (tail + decoder.decode(chunk, { stream: true })).slice(-COMPLAINT_CHARS);
  };
  // A pipe that breaks has ended too.
  return { ended: read().catch(() => undefined), tail: () => tail.trim() };
}
