// Gemini CLI: its hooks have names of their own and no ids for tools; a folder for each project, in it a file for each chat.
import { wordTable } from '../../core/text.ts';
import type { TranscriptFile } from '../agent.ts';
import { createAgent } from '../hook.ts';
import { asRecord, type Fields, text } from '../json.ts';
import { onlySpoken } from '../record.ts';
import { contentId, readAction, readFailure } from './actions.ts';
import { createReader } from './transcript.ts';

const FOLDER = '.gemini/tmp';

export const gemini = createAgent({
  name: 'gemini',
  translate,
  readAction,
  noteEvents: { 'first-prompt': 'BeforeAgent', edit: 'BeforeTool', error: 'AfterTool' },
  folders: ['*/chats/session-*.json', '*/chats/session-*.jsonl', '*/chats/*/*.jsonl'].map((pattern) => ({ folder: FOLDER, pattern })),
  describeFile,
  createReader,
});

const NAMES = wordTable<string>({
  BeforeAgent: 'UserPromptSubmit',
  BeforeTool: 'PreToolUse',
  AfterTool: 'PostToolUse',
  AfterAgent: 'Stop',
});
/** What goes to the model and back is told by the others. */
const OF_NO_USE = new Set(['BeforeModel', 'AfterModel', 'BeforeToolSelection', 'PreCompress', 'Notification']);

function translate(payload: Fields): Fields | null {
  const said = text(payload.hook_event_name);
  if (OF_NO_USE.has(said)) return null;
  const name = NAMES[said] ?? said;
  const failure = name === 'PostToolUse' ? readFailure(text(payload.tool_name), asRecord(payload.tool_response)) : null;
  return {
    ...payload,
    ...(name && { hook_event_name: failure === null ? name : 'PostToolUseFailure' }),
    ...(failure !== null && { error: failure }),
    ...(said === 'AfterAgent' && { last_assistant_message: payload.prompt_response }),
    tool_use_id: payload.tool_use_id ?? contentId(payload),
    ...(typeof payload.prompt === 'string' && { prompt: onlySpoken(payload.prompt) }),
  };
}

const CHAT = /[/\\]chats[/\\]session-[^/\\]+\.jsonl?$/;
const AGENT = /[/\\]chats[/\\]([^/\\]+)[/\\]([^/\\]+)\.jsonl$/;

function describeFile(path: string): TranscriptFile | null {
  if (CHAT.test(path)) return { path, session: null, agent: null };
  const [, session, id] = AGENT.exec(path) ?? [];
  return session && id ? { path, session, agent: { id, type: 'subagent' } } : null;
}
