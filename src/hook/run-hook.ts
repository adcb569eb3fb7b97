// What a hook does: stdin JSON in, one envelope out, whatever happens. Its own bundle, loaded on need; built-ins only.

import { isKnownEvent } from '../agents/claude-code/event-names.ts';
import { type OpenLine, openLine } from '../client/send.ts';
import { CAPTURE_WAIT_MS, CONTEXT_WAIT_MS, type Envelope, type HookCommand, idOf, onlyQuestion, WIRE_VERSION } from '../core/envelope.ts';
import { hashParts } from '../core/ids.ts';
import { findDataDir, isIncognito, isObserverRun, isUnattended, socketOf, wantsPlain } from '../paths.ts';
import { deliver } from './deliver.ts';
import { type ReadPayload, readPayload } from './read-payload.ts';
import { readStdin, type Stdin } from './stdin.ts';
import { createWorkClock, type WorkClock } from './work-clock.ts';

const CLAUDE_CODE = 'claude-code';
const ALL_IS_WELL = '{"continue":true,"suppressOutput":true}';

/** What the hook has done before it came here. */
export type Begun = {
  /** What it has read. */
  stdin?: Stdin;
  /** Its call to the worker, or the answer to it. */
  line?: OpenLine;
  /** When the worker was told of it. */
  receivedAt?: number;
};

type HookOptions = {
  /** Whose hook it is. */
  agent?: string;
  begun?: Begun;
  /** It is not waiting in vain. */
  onProgress?: () => void;
  clock?: WorkClock;
};

const loadStarter = () => import('../client/start-worker.ts');
const loadFallback = () => import('./spool.ts');

/** What the hook of one event prints. Never throws. */
export async function runHook(
  command: HookCommand,
  { agent = CLAUDE_CODE, begun = {}, onProgress, clock = createWorkClock() }: HookOptions = {},
): Promise<string> {
  try {
    if (isObserverRun()) return '';
    if (isIncognito()) return await keepOut(command, agent);
    const dataDir = findDataDir();
    const opened = begun.line ?? openLine(socketOf(dataDir));
    const input = nameSession(await readPayload(readStdin(begun.stdin), { onProgress, clock }));
    onProgress?.();
    const isQuestion = input.kind === 'payload' && input.value.hook_event_name === 'PreToolUse';
    const isStart = command === 'context' && !isQuestion;
    const delivery = await deliver(makeEnvelope(command, agent, input, begun.receivedAt), {
      dataDir,
      opened,
      // What is told with a prompt is searched for first.
      timeoutMs: isStart || command === 'new' ? CONTEXT_WAIT_MS : CAPTURE_WAIT_MS,
      waitForStart: isStart && input.kind === 'payload',
      isKept: !isQuestion,
      loadStarter,
      loadFallback,
      clock,
    });
    // Bad, huge, bottomless or unknown: kept and counted, but nothing was asked that an answer would fit.
    if (input.kind === 'bad' || !input.isOrdinary) return '';
    // Others are told what the worker has for them, and nothing else.
    if (agent !== CLAUDE_CODE) return delivery.output ?? '';
    if (!isKnownEvent(input.value.hook_event_name)) return '';
    // What this one prints is shown to the model as the result of the compaction.
    if (input.value.hook_event_name === 'PostCompact') return '';
    if (delivery.kind === 'lost' && delivery.output === undefined) return command === 'context' ? sayOff(delivery.error) : '';
    return delivery.output ?? ALL_IS_WELL;
  } catch (error) {
    // A hook never disturbs its user: what is wrong is said once, when a session starts, not at every event.
    return command === 'context' ? sayOff(error) : '';
  }
}

/** Nothing of it is kept, but that it is to be kept out: its transcript lies on the disk, and is read some day. */
async function keepOut(command: HookCommand, agent: string): Promise<''> {
  if (command !== 'context' && command !== 'new') return '';
  const input = nameSession(await readPayload(readStdin()));
  const session = input.kind === 'payload' ? input.value.session_id : undefined;
  const isQuestion = input.kind === 'payload' && input.value.hook_event_name === 'PreToolUse';
  if (typeof session !== 'string' || session === '' || isQuestion) return '';
  const id = hashParts(['incognito', session]);
  const base = { v: WIRE_VERSION, host: agent, event: command, receivedAt: Date.now() };
  const envelope = { ...base, id, payload: { session_id: session }, incognito: true };
  const options = { dataDir: findDataDir(), timeoutMs: CAPTURE_WAIT_MS, waitForStart: false, isKept: true, loadStarter, loadFallback };
  await deliver(envelope, options);
  return '';
}

/** Cursor calls it a conversation; what a private prompt leaves is found by the session. */
function nameSession(input: ReadPayload): ReadPayload {
  if (input.kind === 'bad' || input.value.session_id !== undefined || typeof input.value.conversation_id !== 'string') return input;
  return { ...input, value: { session_id: input.value.conversation_id, ...input.value } };
}

function sayOff(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return JSON.stringify({ continue: true, suppressOutput: true, systemMessage: `claude-mem is off: ${reason}` });
}

function makeEnvelope(command: HookCommand, agent: string, input: ReadPayload, receivedAt = Date.now()): Envelope {
  const unattended = command === 'context' && isUnattended() ? { unattended: true } : {};
  const base = { v: WIRE_VERSION, host: agent, event: command, receivedAt, ...unattended };
  if (input.kind === 'bad') {
    const id = hashParts(['bad', command, String(receivedAt), crypto.randomUUID()]);
    return { ...base, id, payload: null, bad: { reason: input.reason } };
  }
  const value = input.value.hook_event_name === 'PreToolUse' ? onlyQuestion(input.value) : input.value;
  const marks = { ...(input.private && { private: true }), ...(input.isIncomplete && { incomplete: true }) };
  return { ...base, id: idOf({ ...base, payload: value }), payload: value, ...marks };
}

/** What the person is to read, where an agent hands its own terminal to hooks: others show what the JSON says. */
export function showMessage(output: string): void {
  const { systemMessage } = JSON.parse(output) as { systemMessage?: string };
  if (!systemMessage) return;
  const painted = `\x1b[36m${systemMessage.replace(/^claude-mem/, '\x1b[1m$&\x1b[22m')}\x1b[0m`;
  // Not by console.error, which paints it itself.
  process.getBuiltinModule('node:fs').writeSync(2, `${wantsPlain() ? systemMessage : painted}\n`);
}

/** A hook command called by its name: `claude-mem save < payload.json`. */
export async function runHookCommand(command: HookCommand): Promise<void> {
  const output = await runHook(command);
  if (output) console.log(output);
}
