// The provider that asks the user's own `claude`, with the user's own login: one process for each question, then gone.
import { callEnded, startDeadline } from '../deadline.ts';
import type { Answer, AskModel, Question } from '../model.ts';
import { ModelError } from '../model-error.ts';
import { type Child, startChild } from './child.ts';
import { ask, claudeArguments, claudeEnvironment, initialize, interrupt } from './command.ts';
import { readOutcome } from './outcome.ts';
import { readLines } from './read-lines.ts';
import { NOTHING_READ, type Reading, readLine } from './reading.ts';
import { createSlots } from './slots.ts';

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

const MAX_AT_ONCE = 2;
const GRACE_MS = 1000;
/** An interrupted claude still tells what was spent. */
const LAST_WORD_MS = 700;
/** The longest good answer, escaped and told twice, and then some. */
const MAX_STDOUT_BYTES = 4 * 1024 * 1024;

/** Questions beyond two at once wait; their deadline begins when it is their turn. */
export function createClaude(settings: ClaudeSettings): AskModel {
  const slots = createSlots(MAX_AT_ONCE);
  return async (question) => {
    const giveBack = await slots.take(question.signal).catch(() => Promise.reject(callEnded()));
    try {
      return await askOnce(settings, question);
    } finally {
      giveBack();
    }
  };
}

async function askOnce(settings: ClaudeSettings, question: Question): Promise<Answer> {
  const { path, model, cwd, environment, graceMs = GRACE_MS } = settings;
  const mark = crypto.randomUUID();
  const env = { ...environment, ...claudeEnvironment(question, mark) };
  const child = startChild({ path, args: claudeArguments(model), cwd, environment: env });
  const deadline = startDeadline(question);
  try {
    question.onRun?.({ pid: child.pid, mark });
    const reading = await converse(child, question, deadline.signal);
    if (deadline.signal.aborted) throw endedEarly(deadline.signal, reading);
    await child.end(graceMs);
    const complaint = reading.result === null ? await child.complaint() : '';
    return readOutcome({ question, reading, complaint, now: Date.now() });
  } finally {
    deadline.close();
    await child.end(0);
  }
}

/** Until its result, or its silence. */
async function converse(child: Child, question: Question, signal: AbortSignal): Promise<Reading> {
  const patience = interruptOn(signal, child);
  try {
    let reading = NOTHING_READ;
    child.send(initialize(question.instructions));
    for await (const line of readLines(child.stdout, { maxBytes: MAX_STDOUT_BYTES, signal: patience.signal })) {
      const before = reading;
      reading = readLine(reading, line);
      if (reading.isReady && !before.isReady) child.send(ask(question.prompt));
      if (reading.sessionId !== null && before.sessionId === null)
        question.onRun?.({ hostSessionId: reading.sessionId });
      if (reading.result !== null || isInVain(reading)) break;
    }
    return reading;
  } finally {
    patience.close();
  }
}

/** Without our instructions there is nothing to ask. */
function isInVain({ isReady, failure }: Reading): boolean {
  return !isReady && failure !== null;
}

/** When the call must end, claude is asked to stop; the signal says that it has not answered in time. */
function interruptOn(callSignal: AbortSignal, child: Child): { signal: AbortSignal; close: () => void } {
  const patience = new AbortController();
  let timer: Timer | undefined;
  const onAbort = () => {
    child.send(interrupt());
    timer = setTimeout(() => patience.abort(), LAST_WORD_MS);
  };
  if (callSignal.aborted) onAbort();
  callSignal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: patience.signal,
    close: () => {
      clearTimeout(timer);
      callSignal.removeEventListener('abort', onAbort);
    },
  };
}

function endedEarly(signal: AbortSignal, { usage }: Reading): ModelError {
  const { kind, message }: ModelError = signal.reason;
  return new ModelError(kind, message, { usage });
}
