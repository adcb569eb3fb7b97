// The provider that asks the user's own `claude`, with the user's own login: one process for each question, then gone.
import type { Subprocess } from 'bun';
import { INITIALIZE, isFailure, isReady, type Line, parseLine, readOutcome } from './claude-output.ts';
import { type Answer, type AskModel, endedEarly, endOf, ModelError, OBSERVER_VARIABLE, type Question } from './contract.ts';

export type ClaudeSettings = {
  path: string;
  model: string;
  /** A folder of ours with nothing in it: claude looks there for a project. */
  cwd: string;
  /** What the login needs (HOME, PATH); nothing else of ours is passed on. */
  environment: Record<string, string>;
  /** How long it may take to leave after its answer. */
  graceMs?: number;
};

const GRACE_MS = 1000;
/** The longest good answer, escaped and told twice, and then some. */
const MAX_STDOUT_BYTES = 4 * 1024 * 1024;

export function createClaude(settings: ClaudeSettings): AskModel {
  return async (question) => {
    if (question.signal?.aborted) throw endedEarly(question);
    return askOnce(settings, question);
  };
}

async function askOnce({ path, model, cwd, environment, graceMs = GRACE_MS }: ClaudeSettings, question: Question): Promise<Answer> {
  const mark = crypto.randomUUID();
  const env = { ...environment, ...ALONE, ...ONE_REQUEST, ...limitsOf(question), [OBSERVER_VARIABLE]: mark };
  const child = startChild([path, ...claudeArguments(model)], { cwd, env });
  const signal = endOf(question);
  try {
    question.onRun?.({ pid: child.pid, mark });
    const lines = await converse(child, question, signal);
    if (signal.aborted) throw endedEarly(question);
    await child.end(graceMs);
    const complaint = lines.some(({ type }) => type === 'result') ? '' : await child.complaint();
    return readOutcome({ question, lines, complaint, now: Date.now() });
  } finally {
    await child.end(0);
  }
}

async function converse(child: Child, question: Question, signal: AbortSignal): Promise<Line[]> {
  const lines: Line[] = [];
  let [isAsked, isNamed] = [false, false];
  // The instructions go in by the pipe: arguments are seen by every user of the machine.
  child.send({ type: 'control_request', request_id: INITIALIZE, request: { subtype: INITIALIZE, systemPrompt: question.instructions } });
  for await (const written of readLines(child.stdout, signal)) {
    const line = parseLine(written);
    if (!line) continue;
    lines.push(line);
    if (!isAsked && isReady(line)) {
      isAsked = true;
      child.send(ask(question.prompt));
    }
    if (!isNamed && line.type === 'system' && line.subtype === 'init' && line.session_id) {
      isNamed = true;
      question.onRun?.({ hostSessionId: line.session_id });
    }
    // Without our instructions there is nothing to ask.
    if (line.type === 'result' || (!isAsked && isFailure(line))) break;
  }
  return lines;
}

/** `client_composed` makes the text a text: without it `@path` is read from disk and `/command` is run. */
function ask(prompt: string): object {
  const message = { role: 'user', content: prompt };
  return { type: 'user', message, parent_tool_use_id: null, session_id: '', client_composed: true };
}

// How `claude` is called: one question, alone, with nothing of its user but the login.

const claudeArguments = (model: string): string[] => [
  ...['--print', '--verbose', '--output-format', 'stream-json', '--input-format', 'stream-json'],
  ...['--model', model, '--thinking', 'disabled', '--tools', '', '--disable-slash-commands'],
  // No settings means no hooks and no plugins.
  ...['--setting-sources', '', '--strict-mcp-config', '--no-session-persistence'],
  // Left to itself it asks up to three times more when an answer is cut off, refused or empty. A budget that the first
  // answer uses up ends it there.
  ...['--max-turns', '1', '--max-budget-usd', '0.000001'],
];

/** The timeout is for the case that we are killed: it then gives up by itself. */
const limitsOf = ({ deadlineMs, maxOutputTokens }: Question): Record<string, string> => ({
  API_TIMEOUT_MS: String(deadlineMs),
  CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxOutputTokens),
});

const ALONE = {
  CLAUDE_CODE_DISABLE_CLAUDE_MDS: '1',
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  // Also keeps the budget above from being told to the model.
  CLAUDE_CODE_DISABLE_ATTACHMENTS: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
};

const ONE_REQUEST = {
  CLAUDE_CODE_MAX_RETRIES: '0',
  CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
  // After a 400 it would ask again without them.
  CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: '1',
};

// A running `claude`: started with a chosen environment, spoken to in JSON lines, and surely ended.

type Child = ReturnType<typeof startChild>;

const TERM_MS = 300;
const KILL_MS = 300;
const COMPLAINT_MS = 200;
const COMPLAINT_CHARS = 500;

/** Throws a ModelError of kind auth when there is no such program. */
function startChild(command: string[], options: { cwd: string; env: Record<string, string> }) {
  const child = spawn(command, options);
  const stderr = readTail(child.stderr);
  return {
    pid: child.pid,
    stdout: child.stdout,
    /** Whether it is listening still shows in what it answers: a closed pipe is no error here. */
    send: (message: object) =>
      ignoreClosedPipe(() => {
        child.stdin.write(`${JSON.stringify(message)}\n`);
        return child.stdin.flush();
      }),
    /** Closes its input, gives it so long to leave, then makes it. Resolves when it is gone. */
    end: async (graceMs: number) => {
      ignoreClosedPipe(() => child.stdin.end());
      if (await settlesWithin(child.exited, graceMs)) return;
      signalGroup(child, 'SIGTERM');
      if (await settlesWithin(child.exited, TERM_MS)) return;
      signalGroup(child, 'SIGKILL');
      await settlesWithin(child.exited, KILL_MS);
    },
    /** The last of what it said on stderr, when it has left. */
    complaint: async () => {
      await settlesWithin(stderr.ended, COMPLAINT_MS);
      return stderr.tail();
    },
  };
}

function spawn(command: string[], options: { cwd: string; env: Record<string, string> }): Subprocess<'pipe', 'pipe', 'pipe'> {
  try {
    // A process group of its own: where `claude` is a script, what it starts is ended with it.
    return Bun.spawn(command, { ...options, stdin: 'pipe', stdout: 'pipe', stderr: 'pipe', detached: true });
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    const remedy = 'Set CLAUDE_CODE_PATH, or say `claude-mem config set claudePath /path/to/claude`.';
    throw new ModelError('auth', `${command[0]} cannot be run (${code}). ${remedy}`, { cause });
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

/**
 * Ends with the stream, or when the signal fires; a last line without its end is left out.
 * Throws a ModelError of kind bad-answer when more comes than any answer has.
 */
async function* readLines(stream: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<string> {
  const reader = stream.getReader();
  // It may have ended or broken meanwhile: either way nothing more comes.
  const cancel = () => void reader.cancel().catch(() => null);
  signal.addEventListener('abort', cancel, { once: true });
  const decoder = new TextDecoder();
  let size = 0;
  let unread: string[] = [];
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.length;
      if (size > MAX_STDOUT_BYTES) throw new ModelError('bad-answer', `claude wrote more than ${MAX_STDOUT_BYTES} bytes.`);
      const [rest = '', ...later] = decoder.decode(next.value, { stream: true }).split('\n');
      unread.push(rest);
      for (const line of later) {
        yield unread.join('');
        unread = [line];
      }
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
