// The hook's process, and the short way that most events take: small, clean, and acked at once. All else is left to run-hook.ts. It is
// an ES module that waits for its own end, because behind a script that only starts something Bun collects garbage and starts threads for
// that; and as few functions as can be, because such a module has no bytecode: each that is called is compiled first. Built-ins only.
import { isKnownEvent } from '../agents/claude-code/event-names.ts';
import { openLine } from '../client/send.ts';
import {
  type Ack,
  CAPTURE_WAIT_MS,
  CONTEXT_WAIT_MS,
  HOOK_COMMANDS,
  type HookCommand,
  onlyQuestion,
  WIRE_VERSION,
} from '../core/envelope.ts';
import { decodeAll, isClean, isObject, MAX_STRING, parseJson } from '../core/plain-json.ts';
import { installedDataDir, isSeen, isStdinSocket, isUnattended, socketOf } from '../paths.ts';
import type { Begun } from './run-hook.ts';
import { openStdin } from './stdin.ts';

/** Longer than any wait of ours: a host that sends nothing more and never closes stdin must not keep us for ever. */
const LIFE_MS = 3000;
const ALL_IS_WELL = '{"continue":true,"suppressOutput":true}';

const life = setTimeout(() => process.exit(0), LIFE_MS).unref();
// Claude Code ends running hooks when it ends itself; the event comes first, and it takes only milliseconds.
process.on('SIGTERM', () => undefined);
// An unknown command ends below. The name of an agent that nobody knows is kept raw: a newer plugin may run an older hook.
const command = process.argv[2] as HookCommand;
const agent = process.argv[3];
const isTold = command === 'context' || command === 'new';
const begun: Begun = {};
/** Null: it takes the long way. */
let output: string | null = HOOK_COMMANDS.includes(command) ? null : '';

const dataDir = isStdinSocket() ? installedDataDir() : null;
if (dataDir !== null && output === null) {
  const line = openLine(socketOf(dataDir));
  const stdin = openStdin();
  begun.line = line;
  begun.stdin = stdin;
  while (!stdin.isOver && stdin.bytes <= MAX_STRING) {
    await stdin.more();
    life.refresh();
  }
  const json = stdin.bytes <= MAX_STRING ? decodeAll(stdin.chunks) : '';
  const isFit = isClean(json);
  // Of a question before an edit only the file is sent: the edit may hold what it likes.
  const read = isFit || json.includes('"PreToolUse"') ? parseJson(json) : undefined;
  const isQuestion = isObject(read) && read.hook_event_name === 'PreToolUse';
  const payload = isQuestion ? onlyQuestion(read) : read;
  if (
    isObject(payload) &&
    payload.session_id &&
    (isQuestion ? isClean(JSON.stringify(payload)) : isFit && isPlain(payload.hook_event_name))
  ) {
    // Its id follows from the rest: the worker makes it.
    const envelope = { v: WIRE_VERSION, host: agent ?? 'claude-code', event: command, receivedAt: Date.now(), payload };
    if (command === 'context' && isUnattended()) Object.assign(envelope, { unattended: true });
    const result = await line.send(JSON.stringify(envelope), isTold && !isQuestion ? CONTEXT_WAIT_MS : CAPTURE_WAIT_MS);
    begun.receivedAt = envelope.receivedAt;
    begun.line = { send: () => Promise.resolve(result) };
    // What it is was agreed on; half a line is none.
    const ack = result.kind === 'answer' ? (parseJson(result.line) as Ack | undefined) : undefined;
    if (ack?.ok) output = ack.output ?? (agent === undefined ? ALL_IS_WELL : '');
  }
}
if (output === null) {
  const { runHook } = await import('./run-hook.ts');
  output = await runHook(command, { agent, begun, onProgress: () => life.refresh() });
}
// Written at once; Bun.write would start a thread for it.
if (output) console.log(output);
if (output && command === 'context' && isSeen()) (await import('./run-hook.ts')).showMessage(output);
process.exit(0);

/** Of Claude Code only what is known; a compaction is answered otherwise. */
function isPlain(event: unknown): boolean {
  return agent !== undefined || (event !== 'PostCompact' && isKnownEvent(event));
}
