// Codex's own record of a session, read into what its hooks would have sent.
import { dirname } from 'node:path';
import { wordTable } from '../../core/text.ts';
import type { TranscriptFile, TranscriptReader, TranscriptRecord } from '../agent.ts';
import { asRecord, type Fields, readJson, readTime, text, textsOf } from '../json.ts';
import { createPromptIds, onlySpoken, SAID, toRecord } from '../record.ts';
import { OpenCalls, type ToolDone } from './calls.ts';

export const createReader = (file: TranscriptFile, beginning: string): TranscriptReader => new Reader(file, beginning);

type Turn = {
  position: number;
  /** Codex's own id of it; older versions have none. */
  id: string | null;
  promptId: string | null;
  /** Its beginning is told, so its end will be, too. */
  isMarked: boolean;
  hasPrompt: boolean;
  /** What the agent said last, with no tool after it. */
  closing: { text: string; at: number } | null;
};

const newTurn = (position: number, id: string | null, isMarked: boolean): Turn => ({
  ...{ position, id, promptId: id, isMarked },
  hasPrompt: false,
  closing: null,
});

/** A prompt is told twice: for the model, and for the screen. */
type Telling = { way: 'item' | 'event'; words: string };

class Reader implements TranscriptReader {
  private readonly file: TranscriptFile;
  private origin: Origin;
  private cwd: string;
  /** The sessions that this one is a copy of, or was started by. */
  private readonly before: string[] = [];
  private readonly calls = new OpenCalls();
  private tellings: Telling[] = [];
  private readonly nextId = createPromptIds();
  private turn = newTurn(0, null, false);
  private at: number;
  /** Only a reading from the beginning gives such prompts the same ids again. */
  private hasOwnIds = false;

  constructor(file: TranscriptFile, beginning: string) {
    const line = readLine(beginning.split('\n', 1)[0] ?? '');
    const origin = readOrigin(line?.kind === 'session' ? line.body : {});
    this.file = file;
    this.origin = { ...origin, id: origin.id || (file.session ?? '') };
    this.cwd = origin.cwd;
    this.at = origin.at ?? 0;
    this.notePast(origin);
  }

  read(said: string, position: number): TranscriptRecord[] {
    const line = readLine(said);
    if (line === null) return [];
    this.at = line.at ?? this.at;
    const records = this.readKind(line, position);
    return this.isKept() ? records : [];
  }

  finish(isOver: boolean): TranscriptRecord[] {
    if (!isOver || !this.isKept()) return [];
    return this.turn.isMarked ? this.recordTools(this.calls.drop()) : this.endTurn(null);
  }

  /** What a fork or an agent comes from stands in the first line alone. */
  resumeAt(): number {
    const { position } = this.turn;
    return this.hasOwnIds || this.before.length > 0 ? 0 : Math.min(position, this.calls.oldest() ?? position);
  }

  /** Without a session nothing can be kept; what an agent was given to begin with is the session's own. */
  private isKept(): boolean {
    const { origin, turn } = this;
    return origin.id !== '' && (origin.agent === null || turn.id === null || this.owner() === origin.id);
  }

  /** Of versions without turns nothing tells where a copy ends: all of it is the session that was forked. */
  private owner(): string {
    const { turn, origin, before } = this;
    return turn.id === null ? (before.at(-1) ?? origin.id) : ownerOfTurn(turn.id, origin.id, before);
  }

  private notePast({ id, parent, agent }: Origin): void {
    for (const one of [id, parent, agent?.session]) if (one && one !== this.origin.id && !this.before.includes(one)) this.before.push(one);
  }

  private record(name: string, fields: Fields, at = this.at): TranscriptRecord {
    const { origin, file, cwd, turn } = this;
    return toRecord(name, at, {
      session_id: origin.agent?.session ?? this.owner(),
      transcript_path: file.path,
      cwd: cwd || dirname(file.path),
      prompt_id: turn.promptId,
      ...(origin.branch && { git_branch: origin.branch }),
      ...(origin.agent && { agent_id: origin.id }),
      ...fields,
    });
  }

  private recordTools(done: ToolDone[]): TranscriptRecord[] {
    const prefix = this.origin.agent ? this.origin.id : this.owner();
    return done.map((tool) => this.record(tool.hook_event_name, { ...tool, tool_use_id: `${prefix}:${tool.tool_use_id}` }));
  }

  private readKind({ kind, body }: RolloutLine, position: number): TranscriptRecord[] {
    const turnId = text(body.turn_id);
    switch (kind) {
      case 'session':
        this.readSession(readOrigin(body));
        return [];
      case 'turn':
        this.cwd = text(body.cwd) || this.cwd;
        if (!this.turn.isMarked && !this.turn.hasPrompt && turnId) this.turn = newTurn(position, turnId, false);
        return [];
      case 'compaction': {
        const summary = text(body.message).replace(HANDED_OVER, '').trim();
        return summary ? [this.record('PostCompact', { compact_summary: summary })] : [];
      }
      case 'item':
        return this.readItem(body, position);
      case 'event':
        return this.readEvent(body, position);
    }
  }

  private readSession(said: Origin): void {
    if (said.id === '') return;
    if (this.origin.id === '' || said.id === this.origin.id) {
      this.origin = { ...said, branch: said.branch ?? this.origin.branch };
      this.cwd = said.cwd || this.cwd;
    }
    this.notePast(said);
  }

  private readItem(body: Fields, position: number): TranscriptRecord[] {
    const type = text(body.type);
    if (type === 'message') return this.readMessage(body, position);
    if (type.endsWith('_output')) return this.recordTools(this.calls.answer(body));
    if (!type.endsWith('_call')) return [];
    this.tellings = [];
    return [...this.goOn(), ...this.recordTools(this.calls.begin(body, position))];
  }

  private readMessage({ role, content }: Fields, position: number): TranscriptRecord[] {
    const parts = textsOf(content);
    if (role === 'user') {
      const spoken = parts.filter((part) => !PICTURE.test(part)).map(onlySpoken);
      return this.readPrompt({ way: 'item', words: spoken.filter(Boolean).join('\n') }, position);
    }
    if (role !== 'assistant') return [];
    this.tellings = [];
    const said = parts.join('\n');
    if (!said.trim()) return [];
    const before = this.goOn();
    this.turn.closing = { text: said, at: this.at };
    return before;
  }

  private readEvent(body: Fields, position: number): TranscriptRecord[] {
    switch (body.type) {
      case 'task_started':
      case 'turn_started': {
        const ended = this.turn.isMarked ? this.recordTools(this.calls.drop()) : this.endTurn(null);
        this.tellings = [];
        this.turn = newTurn(position, text(body.turn_id) || null, true);
        if (this.origin.agent) this.turn.promptId = text(body.root_turn_id) || this.turn.id;
        return ended;
      }
      case 'task_complete':
      case 'turn_complete':
        return this.endTurn({ message: text(body.last_agent_message) });
      case 'turn_aborted':
        return [...this.goOn(), ...this.endTurn({ message: '' })];
      case 'user_message':
        return text(body.kind) && body.kind !== 'plain' ? [] : this.readPrompt({ way: 'event', words: text(body.message) }, position);
      case 'exec_command_end':
        return this.recordTools(this.calls.end(text(body.call_id), body));
      case 'item_completed': {
        const item = asRecord(body.item);
        if (item.type === 'UserMessage') return this.readPrompt({ way: 'event', words: textsOf(item.content).join('\n') }, position);
        return item.type === 'CommandExecution' ? this.recordTools(this.calls.end(text(item.id), item)) : [];
      }
      default:
        return [];
    }
  }

  private readPrompt({ way, words }: Telling, position: number): TranscriptRecord[] {
    const spoken = onlySpoken(words);
    if (spoken === '' || this.isSecond({ way, words: spoken })) return [];
    const isNext = !this.turn.isMarked && (this.turn.hasPrompt || this.turn.id === null);
    const ended = isNext ? this.endTurn(null) : [];
    if (isNext) this.turn = newTurn(position, null, false);
    // What an agent is told by another is no prompt of a person.
    if (this.origin.agent) return ended;
    if (this.turn.id === null && (this.turn.promptId === null || !this.turn.hasPrompt)) {
      this.turn.promptId = this.nextId(this.owner(), spoken);
      this.hasOwnIds = true;
    }
    this.turn.hasPrompt = true;
    return [...ended, this.record('UserPromptSubmit', { prompt: spoken })];
  }

  /** True for what was told already, the other way, before the agent went on. One of them may name the pictures that came with it. */
  private isSecond(telling: Telling): boolean {
    const isSame = ({ words }: Telling) => words.includes(telling.words) || telling.words.includes(words);
    const first = this.tellings.findIndex((one) => one.way !== telling.way && isSame(one));
    if (first < 0) this.tellings.push(telling);
    else this.tellings.splice(first, 1);
    return first >= 0;
  }

  /** What was heard last was not the end. Of another agent's words only its report is kept. */
  private goOn(): TranscriptRecord[] {
    const { closing, hasPrompt } = this.turn;
    this.turn.closing = null;
    return closing && hasPrompt && !this.origin.agent ? [this.record(SAID, { last_assistant_message: closing.text }, closing.at)] : [];
  }

  /** `told`: the transcript says that it is over. Otherwise it is if the agent had said something in the end. */
  private endTurn(told: { message: string } | null): TranscriptRecord[] {
    const { turn, origin } = this;
    const left = this.recordTools(this.calls.drop());
    const message = told?.message || turn.closing?.text || '';
    const isOver = origin.agent ? message !== '' : turn.hasPrompt && (told !== null || message !== '');
    const fields = { ...(origin.agent && { agent_type: origin.agent.type }), last_assistant_message: message };
    const at = told ? this.at : turn.closing?.at;
    const ended = isOver ? [this.record(origin.agent ? 'SubagentStop' : 'Stop', fields, at)] : [];
    this.turn = { ...turn, closing: null, hasPrompt: false, ...(!turn.isMarked && { id: null, promptId: null }) };
    return [...left, ...ended];
  }
}

/** Marks where a picture was, not words. */
const PICTURE = /^<\/?image\b[^>]*>$/;

/** Codex's own words before a summary. */
const HANDED_OVER = /^Another language model started to solve this problem and produced a summary[^:]*:\s*/;

type RolloutLine = {
  kind: 'session' | 'turn' | 'item' | 'event' | 'compaction';
  /** Epoch ms; null where the line does not tell. */
  at: number | null;
  body: Fields;
};

/** Null for what is of no use, or no line. */
function readLine(line: string): RolloutLine | null {
  // Most of a file by size: not worth reading.
  if (IDLE.test(line.slice(0, 300))) return null;
  const { timestamp, type, payload } = asRecord(readJson(line));
  const kind = KINDS[text(type)];
  return kind ? { kind, at: readTime(timestamp), body: asRecord(payload) } : null;
}

const IDLE = /"type":"(?:world_state|token_usage_record|token_count|reasoning|agent_reasoning)"/;

const KINDS = wordTable<RolloutLine['kind']>({
  session_meta: 'session',
  turn_context: 'turn',
  response_item: 'item',
  event_msg: 'event',
  compacted: 'compaction',
});

/** What a transcript says of itself in its first line: whose it is, where, and what it comes from. */
type Origin = {
  /** The session, or of a subagent its own thread. */
  id: string;
  cwd: string;
  branch: string | null;
  at: number | null;
  /** The session that this one goes on from. */
  parent: string | null;
  /** Set when a session started it as its agent. */
  agent: { session: string; type: string } | null;
};

function readOrigin(body: Fields): Origin {
  const id = text(body.id);
  const branch = text(asRecord(body.git).branch) || null;
  const parent = text(body.forked_from_id) || null;
  return { id, cwd: text(body.cwd), branch, at: readTime(body.timestamp), parent, agent: readAgent(body, id) };
}

function readAgent(body: Fields, id: string): Origin['agent'] {
  const started = asRecord(body.source).subagent;
  if (started === undefined && body.thread_source !== 'subagent') return null;
  const { parent_thread_id, agent_role, agent_nickname } = asRecord(asRecord(started).thread_spawn);
  const root = text(body.session_id) === id ? '' : text(body.session_id);
  const session = root || text(parent_thread_id) || text(body.parent_thread_id);
  const type = text(agent_role) || text(body.agent_role) || text(agent_nickname) || text(started) || 'subagent';
  return session ? { session, type } : null;
}

/** Ids of version 7 begin with their time, so they can be compared. */
const TIMED = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/;

/** A forked session begins with a copy of what was said before it: `session` itself, or the one in which the turn began. */
function ownerOfTurn(turn: string, session: string, before: string[]): string {
  if (before.length === 0 || !TIMED.test(turn) || !TIMED.test(session) || turn >= session) return session;
  const older = before.filter((id) => id <= turn).sort();
  return older.at(-1) ?? before[0] ?? session;
}
