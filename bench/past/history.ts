// A made-up past: sessions of ordinary work, as the transcripts that Claude Code would have left of them.
import { closeSync, mkdirSync, openSync, utimesSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { HookCall } from '../spine/payloads.ts';
import { workSession } from '../spine/work-day.ts';

export type History = { sessions: number; bytes: number; tools: number; prompts: number };

/** Two turns, or three: half a megabyte on average. */
const turnsOf = (number: number) => (number % 3 === 0 ? 3 : 2);
const PROJECTS = 12;
const START = Date.parse('2026-03-02T09:00:00Z');
const MINUTE = 60_000;

/** Below `home`, one file for each session, each a quarter of an hour after the one before. `isTalkative`: with words between the tools. */
export function writeHistory(home: string, sessions: number, { isTalkative = false } = {}): History {
  const history: History = { sessions, bytes: 0, tools: 0, prompts: 0 };
  for (let number = 0; number < sessions; number++) {
    const project = `/home/dev/project-${number % PROJECTS}`;
    const startedAt = START + number * 15 * MINUTE;
    const calls = workSession(project, number, turnsOf(number));
    const lines = [...transcribe(calls, { startedAt, isTalkative })];
    const folder = join(home, '.claude/projects', project.replace(/[^A-Za-z0-9]/g, '-'));
    mkdirSync(folder, { recursive: true });
    const text = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
    history.bytes += write(join(folder, `${sessionOf(calls)}.jsonl`), text, startedAt + 10 * MINUTE);
    history.tools += calls.filter(({ payload }) => 'tool_use_id' in payload).length;
    history.prompts += turnsOf(number);
  }
  return history;
}

const sessionOf = (calls: HookCall[]) => String(calls[0]?.payload.session_id);

function write(path: string, text: string, at: number): number {
  const file = openSync(path, 'w');
  const bytes = writeSync(file, text);
  closeSync(file);
  utimesSync(path, at / 1000, at / 1000);
  return bytes;
}

type Telling = { startedAt: number; isTalkative: boolean };

/** Each tool costs the lines that the real host writes: a thought, the call, its progress, the result twice. */
function* transcribe(calls: HookCall[], { startedAt, isTalkative }: Telling): Generator<object> {
  let at = startedAt;
  let promptId = '';
  for (const { payload } of calls) {
    at += 4000;
    const base = {
      sessionId: payload.session_id,
      cwd: payload.cwd,
      version: '2.1.325',
      gitBranch: 'main',
      isSidechain: false,
      userType: 'external',
    };
    const line = (type: string, message: object, more: object = {}) => ({
      parentUuid: crypto.randomUUID(),
      ...base,
      type,
      message,
      uuid: crypto.randomUUID(),
      timestamp: new Date(at).toISOString(),
      ...more,
    });
    const block = (content: object, stop: string) =>
      line('assistant', {
        id: `msg_${at}`,
        role: 'assistant',
        model: 'claude-opus-5-5',
        content: [content],
        stop_reason: stop,
        usage: { input_tokens: 10, output_tokens: 200, cache_read_input_tokens: 15_783 },
      });
    switch (payload.hook_event_name) {
      case 'UserPromptSubmit':
        promptId = crypto.randomUUID();
        yield { type: 'file-history-snapshot', messageId: promptId, snapshot: { trackedFileBackups: {} } };
        yield line('user', { role: 'user', content: payload.prompt }, { promptId });
        break;
      case 'PostToolUse':
      case 'PostToolUseFailure':
        yield block({ type: 'thinking', thinking: THOUGHT, signature: SIGNATURE }, 'tool_use');
        if (isTalkative) yield block({ type: 'text', text: `${SAID} (${payload.tool_use_id})` }, 'tool_use');
        yield block({ type: 'tool_use', id: payload.tool_use_id, name: payload.tool_name, input: payload.tool_input }, 'tool_use');
        yield {
          ...line('progress', {}),
          data: { type: 'hook_progress', hookEvent: 'PreToolUse' },
          toolUseID: payload.tool_use_id,
        };
        at += 2000;
        yield line(
          'user',
          { role: 'user', content: [resultOf(payload)] },
          {
            promptId,
            toolUseResult: payload.error === undefined ? payload.tool_response : `Error: ${payload.error}`,
          },
        );
        break;
      case 'Stop':
        yield block({ type: 'text', text: payload.last_assistant_message }, 'end_turn');
        break;
      default:
    }
  }
}

function resultOf({ tool_use_id, tool_response, error }: HookCall['payload']): object {
  if (error !== undefined) return { type: 'tool_result', tool_use_id, content: error, is_error: true };
  return { type: 'tool_result', tool_use_id, content: sayResponse(tool_response) };
}

/** What the model is shown of it: most of the same text once more. */
function sayResponse(response: unknown): string {
  const fields = response as Record<string, unknown> & { file?: { content?: string } };
  const said = fields.file?.content ?? fields.stdout;
  if (typeof said === 'string') return said;
  return JSON.stringify(response).slice(0, 2000);
}

const THOUGHT = 'The failing test names the price; the cache is read before it is filled, so the order is the thing to look at. '.repeat(8);
const SAID =
  'The price is read before the cache is filled, so the second request sees an empty table; I look at who calls it before I change the order.';
const SIGNATURE = 'EqoBCkYIBxgCKkCx'.repeat(40);
