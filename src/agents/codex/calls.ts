// Tools that were called in a Codex transcript and are not over: what comes of them, in the words of a hook.
import { asList, asRecord, type Fields, numberOrNull, readJson, text, textsOf, wholeText } from '../json.ts';
import { findPatch, readPatch } from './actions.ts';

export type ToolDone = Fields & { hook_event_name: 'PostToolUse' | 'PostToolUseFailure'; tool_use_id: string };

/** What the hook would have called it. `inputs`: one for each thing it did; a patch of three files is three. */
type Called = { tool: string; inputs: Fields[] };
/** `output`: what is known so far. */
type OpenCall = Called & { id: string; position: number; output: Output | null };

export class OpenCalls {
  private readonly open = new Map<string, OpenCall>();

  /** Some tools have no answer: they are over at once. */
  begin(item: Fields, position: number): ToolDone[] {
    const called = readCall(item);
    const id = text(item.call_id) || text(item.id);
    if (called === null || id === '') return [];
    const call = { ...called, id, position, output: null };
    if (item.type === 'web_search_call') return describe(call, NOTHING);
    this.open.set(id, call);
    return [];
  }

  answer(item: Fields): ToolDone[] {
    const call = this.open.get(text(item.call_id));
    if (!call) return [];
    // What is known of its end says more: the answer was made shorter for the model.
    call.output ??= readOutput(item.output, call.tool === 'Bash' || call.tool === 'apply_patch');
    return call.output.isRunning ? [] : this.close(call, call.output);
  }

  /** A command ended, which may have gone on after its first answer. */
  end(id: string, ended: Fields): ToolDone[] {
    const call = this.open.get(id);
    const exitCode = numberOrNull(ended.exit_code);
    if (call?.tool !== 'Bash' || exitCode === null) return [];
    const said = text(ended.aggregated_output) || `${text(ended.stdout)}${text(ended.stderr)}`;
    const before = call.output;
    call.output = { ...NOTHING, text: said, exitCode, failed: exitCode !== 0, durationMs: before?.durationMs ?? null };
    return before ? this.close(call, call.output) : [];
  }

  drop(): ToolDone[] {
    const left = [...this.open.values()];
    this.open.clear();
    return left.flatMap((call) => describe(call, call.output ?? UNDONE));
  }

  oldest(): number | null {
    return this.open.values().next().value?.position ?? null;
  }

  private close(call: OpenCall, output: Output): ToolDone[] {
    this.open.delete(call.id);
    return describe(call, output);
  }
}

function describe({ id, tool, inputs }: OpenCall, { text: said, exitCode, failed, durationMs, isRunning, isUndone }: Output): ToolDone[] {
  const error = exitCode === null ? said || 'failed without a message' : `Exit code ${exitCode}\n${said}`;
  const ran = { stdout: said, exit_code: exitCode, ...(isRunning && { is_running: true }) };
  return inputs.map((tool_input, n) => ({
    // The first has the id of the call, as in the hook.
    ...{ tool_name: tool, tool_input, tool_use_id: n === 0 ? id : `${id}#${n + 1}` },
    ...(durationMs !== null && { duration_ms: durationMs }),
    ...(failed
      ? { hook_event_name: 'PostToolUseFailure', error, ...(isUndone && { is_undone: true }) }
      : { hook_event_name: 'PostToolUse', tool_response: tool === 'Bash' ? ran : said }),
  }));
}

/** Null for what does nothing by itself, such as waiting for what runs. */
function readCall(item: Fields): Called | null {
  const name = text(item.name);
  switch (item.type) {
    case 'custom_tool_call':
      return name === 'apply_patch' ? patchCall(text(item.input)) : one(name, { input: text(item.input) });
    case 'local_shell_call':
      return commandCall(asRecord(item.action));
    case 'web_search_call': {
      const { query, queries, url } = asRecord(item.action);
      return text(query) || text(url) || asList(queries).length > 0 ? one('web_search', { query, queries, url }) : null;
    }
    case 'function_call':
      return functionCall(name, text(item.namespace), asRecord(readJson(text(item.arguments)) ?? item.arguments));
    default:
      return null;
  }
}

const SHELLS = new Set(['shell', 'shell_command', 'exec_command', 'local_shell', 'container.exec', 'unified_exec']);

function functionCall(name: string, namespace: string, input: Fields): Called | null {
  if (SHELLS.has(name)) return commandCall(input);
  if (name === 'apply_patch') return patchCall(text(input.input) || text(input.patch));
  // Only looking whether there is more to read.
  if (name === 'write_stdin' && text(input.chars) === '') return null;
  return one(namespace.startsWith('mcp__') ? `${namespace.replace(/__$/, '')}__${name}` : name, input);
}

function commandCall(input: Fields): Called | null {
  const command = readCommand(input.cmd ?? input.command);
  const patch = findPatch(command);
  if (patch !== null) return patchCall(patch);
  const description = text(input.justification);
  return one('Bash', { command, ...(description && { description }) });
}

function patchCall(patch: string): Called {
  const files = readPatch(patch);
  return { tool: 'apply_patch', inputs: files.length > 0 ? files : [{ command: patch }] };
}

const one = (tool: string, input: Fields): Called | null => (tool === '' ? null : { tool, inputs: [input] });

/** `["bash", "-lc", "npm test"]` is what a person would call `npm test`. */
function readCommand(command: unknown): string {
  if (typeof command === 'string') return command;
  const words = asList(command).map(text);
  const [shell = '', flag = '', script] = words;
  if (words.length === 3 && /(?:^|[/\\])(?:ba|z|da|k)?sh(?:\.exe)?$/.test(shell) && /^-l?c$/.test(flag)) return script ?? '';
  return words.map((word) => (/[\s"'$]/.test(word) ? `'${word}'` : word)).join(' ');
}

type Output = {
  text: string;
  exitCode: number | null;
  failed: boolean;
  /** It goes on: this is only the beginning of what it says. */
  isRunning: boolean;
  isUndone: boolean;
  durationMs: number | null;
};

const NOTHING: Output = { text: '', exitCode: null, failed: false, isRunning: false, isUndone: false, durationMs: null };
const UNDONE: Output = { ...NOTHING, text: 'It has no result.', failed: true, isUndone: true };

/**
 * Versions write how a command ended before its output, as JSON around it, or not at all. `runs`: the call was a command or a
 * patch, whose answer tells how it ended; anything else is a refusal.
 */
function readOutput(output: unknown, runs: boolean): Output {
  const { content, output: inner, success } = asRecord(output);
  const parts = [output, content, inner].find((part) => typeof part === 'string' || Array.isArray(part));
  const said = parts === undefined ? wholeText(output) : textsOf(parts).join('\n');
  const read = readJsonOutput(said) ?? readHeader(said);
  if (read) return { ...NOTHING, ...read, failed: read.exitCode !== 0 && !read.isRunning };
  const failed = success === false || (runs ? !SUCCESS.test(said) : REFUSAL.test(said));
  return { ...NOTHING, text: said, failed, isUndone: failed && REJECTED.test(said) };
}

const SUCCESS = /^(?:Success\.|Done!|\s*$)/;
const REFUSAL =
  /^(?:unsupported (?:custom tool )?call|failed to parse function arguments|unable to |err: |error: |tool call error|aborted)/i;
const REJECTED = /^(?:[^\n]{0,80}\b(?:rejected|denied|declined) by (?:the )?user\b|patch rejected|aborted by user before)/i;

/** `{"output":"…","metadata":{"exit_code":0,"duration_seconds":0.1}}`. */
function readJsonOutput(said: string): Partial<Output> | null {
  if (!said.startsWith('{"output":')) return null;
  const { output, metadata } = asRecord(readJson(said));
  const { exit_code, duration_seconds: seconds } = asRecord(metadata);
  const exitCode = numberOrNull(exit_code);
  return exitCode === null ? null : { text: text(output), exitCode, durationMs: typeof seconds === 'number' ? toMs(seconds) : null };
}

const toMs = (seconds: number) => Math.round(seconds * 1000);

const LONGEST_HEADER = 600;
const EXIT = /^(?:Exit code:|Process exited with code) (-?\d{1,10})$/m;
const RUNNING = /^Process running with session ID \S+$/m;
const WALL = /^Wall time: (\d{1,9}(?:\.\d{1,9})?) seconds$/m;

function readHeader(said: string): Partial<Output> | null {
  const end = said.slice(0, LONGEST_HEADER).search(/^Output:(?:\n|$)/m);
  const header = said.slice(0, Math.max(0, end));
  const [, code] = EXIT.exec(header) ?? [];
  const isRunning = RUNNING.test(header);
  if (code === undefined && !isRunning) return null;
  const [, seconds] = WALL.exec(header) ?? [];
  const exitCode = code === undefined ? null : Number(code);
  return { text: said.slice(end + 'Output:\n'.length), exitCode, isRunning, durationMs: seconds ? toMs(Number(seconds)) : null };
}
