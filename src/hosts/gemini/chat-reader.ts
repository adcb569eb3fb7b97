// Gemini CLI's own record of a chat, read into what its hooks would have sent: one document, or a line for each message.
import { wordTable } from '../../core/word-table.ts';
import { asList, asRecord, type Fields, text } from '../fields.ts';
import { readJson } from '../json.ts';
import { createPromptIds } from '../prompt-ids.ts';
import { onlySpoken } from '../spoken.ts';
import { SAID, type TranscriptFile, type TranscriptReader, type TranscriptRecord } from '../transcript.ts';
import { contentId } from './content-id.ts';
import { argsOf, findHashedCwd, findToldCwd, listedCwd, projectFolder } from './find-cwd.ts';
import { describeCall } from './tool-call.ts';

export function createChatReader(file: TranscriptFile): TranscriptReader {
  const ids = createPromptIds();
  /** A message is written again whenever something is added to it. */
  const seen = new Set<string>();
  /** How often the same was asked and answered. */
  const counts = new Map<string, number>();
  let session = '';
  let projectHash = '';
  let cwd: string | null = null;
  let isAgent = file.agent !== null;
  let promptId: string | null = null;
  /** What the agent said last, with no tool after it. */
  let closing: { text: string; at: number } | null = null;
  /** Until it is known where they happened. */
  let waiting: TranscriptRecord[] = [];

  const record = (name: string, at: number, fields: Fields): TranscriptRecord => ({
    command: COMMANDS[name] ?? 'save',
    at,
    payload: {
      session_id: isAgent ? (file.session ?? session) : session,
      transcript_path: file.path,
      cwd: cwd ?? '',
      hook_event_name: name,
      timestamp: at,
      prompt_id: promptId,
      ...(isAgent && { agent_id: session }),
      ...fields,
    },
  });

  const readMetadata = (metadata: Fields) => {
    session = text(metadata.sessionId) || session;
    projectHash = text(metadata.projectHash) || projectHash;
    isAgent ||= metadata.kind === 'subagent' && file.session !== null;
    cwd ??= listedCwd(metadata);
  };

  const endTurn = (): TranscriptRecord[] => {
    const said = closing;
    closing = null;
    if (said === null || (promptId === null && !isAgent)) return [];
    if (isAgent)
      return [record('SubagentStop', said.at, { agent_type: 'subagent', last_assistant_message: said.text })];
    return [record('Stop', said.at, { last_assistant_message: said.text })];
  };

  const readUser = (message: Fields, at: number): TranscriptRecord[] => {
    const words = wordsOf(message.content);
    cwd ??= findToldCwd(words);
    const summary = SNAPSHOT.exec(words)?.[1];
    if (summary) return [record('PostCompact', at, { compact_summary: summary.trim() })];
    const spoken = onlySpoken(wordsOf(message.displayContent) || words);
    // What an agent is told by another is no prompt of a person.
    if (spoken === '' || COMMAND.test(spoken) || isAgent) return [];
    const ended = endTurn();
    promptId = ids.next(session, spoken);
    return [...ended, record('BeforeAgent', at, { prompt: spoken })];
  };

  const readAgent = (message: Fields, at: number): TranscriptRecord[] => {
    for (const args of cwd === null ? argsOf(message) : []) cwd ??= findHashedCwd(args, projectHash);
    const said = wordsOf(message.content);
    const calls = asList(message.toolCalls).map(asRecord);
    const before = calls.length > 0 ? hearOn({ text: said, at }, text(message.id)) : [];
    if (calls.length > 0) closing = null;
    else if (said.trim()) closing = { text: said, at };
    const done = calls.flatMap((call) => {
      const done = describeCall(call);
      const id = text(call.id);
      if (done === null || id === '' || seen.has(id)) return [];
      seen.add(id);
      const same = contentId(done) ?? '';
      const tool_use_count = (counts.get(same) ?? 0) + 1;
      counts.set(same, tool_use_count);
      const fields = { ...done, tool_use_id: `${session}:${id}`, tool_use_count };
      return [record('AfterTool', readTime(call.timestamp) ?? at, fields)];
    });
    return [...before, ...done];
  };

  /** Said before it used tools, in this message or the one before: told once, however often the message is written again. */
  const hearOn = (now: { text: string; at: number }, id: string): TranscriptRecord[] =>
    [closing, now].flatMap((said) => {
      const key = `said ${said?.at} ${id}`;
      if (!said?.text.trim() || isAgent || promptId === null || seen.has(key)) return [];
      seen.add(key);
      return [record(SAID, said.at, { last_assistant_message: said.text })];
    });

  const readMessage = (message: Fields): TranscriptRecord[] => {
    const at = readTime(message.timestamp) ?? 0;
    if (message.type === 'gemini') return readAgent(message, at);
    if (message.type !== 'user') return [];
    const id = text(message.id);
    if (id && seen.has(id)) return [];
    seen.add(id);
    return readUser(message, at);
  };

  /** The history was made shorter, or begins: what is in it was told before, but for its summary and surroundings. */
  const readUpdate = (update: Fields): TranscriptRecord[] => {
    readMetadata(update);
    const messages = asList(update.messages).map(asRecord);
    for (const message of messages) if (message.type === 'user') cwd ??= findToldCwd(wordsOf(message.content));
    return messages.filter((one) => one.type === 'user' && SNAPSHOT.test(wordsOf(one.content))).flatMap(readMessage);
  };

  const readPart = (part: Fields): TranscriptRecord[] => {
    if (typeof part.$set === 'object') return readUpdate(asRecord(part.$set));
    if (typeof part.id === 'string' && typeof part.type === 'string') return readMessage(part);
    readMetadata(part);
    return asList(part.messages).map(asRecord).flatMap(readMessage);
  };

  /** Records go out once it is known where they happened. */
  const place = (records: TranscriptRecord[], isLast: boolean): TranscriptRecord[] => {
    // Without a session nothing can be kept.
    if (session !== '') waiting = waiting.concat(records);
    if (cwd === null && !isLast) return [];
    const placed = waiting.map((one) => ({
      ...one,
      payload: { ...one.payload, cwd: cwd ?? projectFolder(file.path) },
    }));
    waiting = [];
    return placed;
  };

  return {
    read: (line) => place(readPart(asRecord(readJson(line))), false),
    finish: (isOver) => place(isOver ? endTurn() : [], true),
    // An id counts what was said before, and messages change after they are written: the whole is read again.
    resumeAt: () => 0,
  };
}

const COMMANDS = wordTable<TranscriptRecord['command']>({ BeforeAgent: 'new', Stop: 'summary' });

/** The chat so far, as the agent keeps it when it runs out of room. */
const SNAPSHOT = /<state_snapshot>([\s\S]*?)(?:<\/state_snapshot>|$)/;
/** Said to the program, not to the agent: `/help`. A path has another slash. */
export const COMMAND = /^[/?][\w:-]*(?:\s|$)/;

const wordsOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : asList(content)
        .map((part) => text(part) || text(asRecord(part).text))
        .filter(Boolean)
        .join('\n');

export function readTime(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}
