// Gemini CLI's own record of a chat, read into what its hooks would have sent: one document, or a line for each message.
import { dirname } from 'node:path';
import type { TranscriptFile, TranscriptReader, TranscriptRecord } from '../agent.ts';
import { asList, asRecord, asRecords, type Fields, readJson, readTime, text, textsOf } from '../json.ts';
import { ChatReader, createPromptIds, onlySpoken, SAID, toRecord } from '../record.ts';
import { contentId } from './actions.ts';

export const createReader = (file: TranscriptFile): TranscriptReader => new Reader(file);

class Reader extends ChatReader implements TranscriptReader {
  private readonly file: TranscriptFile;
  private readonly nextId = createPromptIds();
  /** A message is written again whenever something is added to it. */
  private readonly seen = new Set<string>();
  private readonly counts = new Map<string, number>();
  private session = '';
  private projectHash = '';
  private cwd: string | null = null;
  private isAgent: boolean;
  private promptId: string | null = null;
  private waiting: TranscriptRecord[] = [];

  constructor(file: TranscriptFile) {
    super();
    this.file = file;
    this.isAgent = file.agent !== null;
  }

  read(line: string): TranscriptRecord[] {
    return this.place(this.readPart(asRecord(readJson(line))), false);
  }

  finish(isOver: boolean): TranscriptRecord[] {
    return this.place(isOver ? this.endTurn() : [], true);
  }

  /** An id counts what was said before, and messages change after they are written: the whole is read again. */
  resumeAt(): number {
    return 0;
  }

  protected agentType(): string | null {
    return this.isAgent ? 'subagent' : null;
  }

  protected record(name: string, fields: Fields, at = 0): TranscriptRecord {
    const { file, session, isAgent, promptId } = this;
    return toRecord(name, at, {
      session_id: isAgent ? (file.session ?? session) : session,
      transcript_path: file.path,
      cwd: '',
      prompt_id: promptId,
      ...(isAgent && { agent_id: session }),
      ...fields,
    });
  }

  /** Records go out once it is known where they happened. */
  private place(records: TranscriptRecord[], isLast: boolean): TranscriptRecord[] {
    // Without a session nothing can be kept.
    if (this.session !== '') this.waiting.push(...records);
    if (this.cwd === null && !isLast) return [];
    // Where nothing else is known: one folder for all chats of a project, whichever it was.
    const cwd = this.cwd ?? this.file.path.replace(/[/\\](?:chats[/\\].*|[^/\\]*)$/, '');
    return this.waiting.splice(0).map((one) => ({ ...one, payload: { ...one.payload, cwd } }));
  }

  private readPart(part: Fields): TranscriptRecord[] {
    if (typeof part.$set === 'object') return this.readUpdate(asRecord(part.$set));
    if (typeof part.id === 'string' && typeof part.type === 'string') return this.readMessage(part);
    this.readMetadata(part);
    return asRecords(part.messages).flatMap((message) => this.readMessage(message));
  }

  /** The history was made shorter, or begins: what is in it was told before, but for its summary and surroundings. */
  private readUpdate(update: Fields): TranscriptRecord[] {
    this.readMetadata(update);
    const said = asRecords(update.messages).filter(({ type }) => type === 'user');
    for (const { content } of said) this.cwd ??= findToldCwd(wordsOf(content));
    return said.filter(({ content }) => SNAPSHOT.test(wordsOf(content))).flatMap((message) => this.readMessage(message));
  }

  private readMetadata({ sessionId, projectHash, kind, directories }: Fields): void {
    this.session = text(sessionId) || this.session;
    this.projectHash = text(projectHash) || this.projectHash;
    this.isAgent ||= kind === 'subagent' && this.file.session !== null;
    this.cwd ??= asList(directories).map(text).find(Boolean) ?? null;
  }

  private readMessage(message: Fields): TranscriptRecord[] {
    const at = readTime(message.timestamp) ?? 0;
    if (message.type === 'gemini') return this.readAgent(message, at);
    if (message.type !== 'user') return [];
    const id = text(message.id);
    if (id && this.seen.has(id)) return [];
    this.seen.add(id);
    return this.readUser(message, at);
  }

  private readUser(message: Fields, at: number): TranscriptRecord[] {
    const words = wordsOf(message.content);
    this.cwd ??= findToldCwd(words);
    const summary = SNAPSHOT.exec(words)?.[1];
    if (summary) return [this.record('PostCompact', { compact_summary: summary.trim() }, at)];
    const spoken = onlySpoken(wordsOf(message.displayContent) || words);
    // What an agent is told by another is no prompt of a person.
    if (spoken === '' || COMMAND.test(spoken) || this.isAgent) return [];
    const ended = this.endTurn();
    this.promptId = this.nextId(this.session, spoken);
    this.isAsked = true;
    return [...ended, this.record('BeforeAgent', { prompt: spoken }, at)];
  }

  private readAgent(message: Fields, at: number): TranscriptRecord[] {
    const calls = asRecords(message.toolCalls);
    for (const { args } of this.cwd === null ? calls : []) this.cwd ??= findHashedCwd(asRecord(args), this.projectHash);
    const said = { text: wordsOf(message.content), at };
    if (calls.length === 0) {
      if (said.text.trim()) this.closing = said;
      return [];
    }
    const before = [this.closing, said].flatMap((one) => (one ? this.hearOnce(one, text(message.id)) : []));
    this.closing = null;
    return [...before, ...calls.flatMap((call) => this.readCall(call, at))];
  }

  /** Said before it used tools, in this message or the one before: told once, however often the message is written again. */
  private hearOnce(said: { text: string; at: number }, id: string): TranscriptRecord[] {
    const key = `said ${said.at} ${id}`;
    if (!said.text.trim() || this.isAgent || this.promptId === null || this.seen.has(key)) return [];
    this.seen.add(key);
    return [this.record(SAID, { last_assistant_message: said.text }, said.at)];
  }

  private readCall(call: Fields, at: number): TranscriptRecord[] {
    const id = text(call.id);
    const tool_name = text(call.name);
    const status = text(call.status);
    if (tool_name === '' || !['success', 'error', 'cancelled'].includes(status) || id === '' || this.seen.has(id)) return [];
    this.seen.add(id);
    const { words, error } = readResult(call.result);
    const failed = status === 'success' ? null : error || words || text(call.resultDisplay) || 'failed without a message';
    const done = {
      tool_name,
      tool_input: asRecord(call.args),
      tool_response: { llmContent: words, returnDisplay: call.resultDisplay, ...(failed !== null && { error: { message: failed } }) },
    };
    const same = contentId(done) ?? '';
    const tool_use_count = (this.counts.get(same) ?? 0) + 1;
    this.counts.set(same, tool_use_count);
    const fields = { ...done, tool_use_count, ...(status === 'cancelled' && { is_undone: true }) };
    return [this.record('AfterTool', fields, readTime(call.timestamp) ?? at)];
  }
}

const SNAPSHOT = /<state_snapshot>([\s\S]*?)(?:<\/state_snapshot>|$)/;
/** Said to the program, not to the agent: `/help`. A path has another slash. */
const COMMAND = /^[/?][\w:-]*(?:\s|$)/;

const wordsOf = (content: unknown): string => textsOf(content).join('\n');

/** In a transcript the answer is wrapped as the model was given it. */
function readResult(result: unknown): { words: string; error: string | null } {
  const wrapped = asRecords(result).map((part) => asRecord(asRecord(part.functionResponse).response));
  const error = wrapped.map((response) => text(response.error)).find(Boolean) ?? null;
  const words = wrapped.map((response) => text(response.output)).filter(Boolean);
  return { words: words.join('\n') || (wrapped.length === 0 ? text(result) : ''), error };
}

const TOLD = [
  /^- \*\*Workspace Directories:\*\*\n\s+- (\/.{1,4000}|[A-Za-z]:\\.{1,4000})$/m,
  /working in the (?:following )?director(?:y|ies):\s+(?:- )?(\/.{1,4000}|[A-Za-z]:\\.{1,4000})$/m,
];

/** What the agent was told about its surroundings: a file holds only a hash of its folder. */
const findToldCwd = (words: string): string | null => TOLD.map((pattern) => pattern.exec(words)?.[1]).find(Boolean) ?? null;

const FILES = ['file_path', 'absolute_path', 'dir_path', 'path', 'directory'];
const LONGEST = 1000;

function findHashedCwd(args: Fields, projectHash: string): string | null {
  if (projectHash === '') return null;
  for (const name of FILES) {
    for (let folder = text(args[name]); folder.startsWith('/') && folder.length < LONGEST; folder = dirname(folder)) {
      if (new Bun.CryptoHasher('sha256').update(folder).digest('hex') === projectHash) return folder;
      if (folder === '/') break;
    }
  }
  return null;
}
