// Codex's own record of a session, read into what its hooks would have sent.
import { dirname } from 'node:path';
import { wordTable } from '../../core/text.ts';
import type { TranscriptFile, TranscriptReader, TranscriptRecord } from '../agent.ts';
import { asRecord, type Fields, readJson, readTime, text, textsOf } from '../json.ts';
import { ChatReader, createPromptIds, onlySpoken, toRecord } from '../record.ts';
import { OpenCalls, type ToolDone } from './calls.ts';

export const createReader = (file: TranscriptFile, beginning: string): TranscriptReader => new Reader(file, beginning);

/** `id`: Codex's own; older versions have none. `isMarked`: its beginning is told, so its end will be, too. */
type Turn = { position: number; id: string | null; promptId: string | null; isMarked: boolean };

class Reader extends ChatReader implements TranscriptReader {
  private readonly file: TranscriptFile;
  private origin: Origin;
  private cwd: string;
  /** The sessions that this one is a copy of, or was started by. */
  private readonly before: string[] = [];
  private readonly calls = new OpenCalls();
  private readonly nextId = createPromptIds();
  private turn: Turn = { position: 0, id: null, promptId: null, isMarked: false };
  private at: number;
  private position = 0;
  /** Only a reading from the beginning gives such prompts the same ids again. */
  private hasOwnIds = false;

  constructor(file: TranscriptFile, beginning: string) {
    super();
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
    this.position = position;
    const records = this.readKind(line);
    return this.isKept() ? records : [];
  }

  finish(isOver: boolean): TranscriptRecord[] {
    return isOver && this.isKept() ? this.leaveTurn() : [];
  }

  /** What a fork or an agent comes from stands in the first line alone. */
  resumeAt(): number {
    const { position } = this.turn;
    return this.hasOwnIds || this.before.length > 0 ? 0 : Math.min(position, this.calls.oldest() ?? position);
  }

  protected agentType(): string | null {
    return this.origin.agent?.type ?? null;
  }

  protected record(name: string, fields: Fields, at = this.at): TranscriptRecord {
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

  /** Without a session nothing can be kept; what an agent was given to begin with is the session's own. */
  private isKept(): boolean {
    const { origin, turn } = this;
    return origin.id !== '' && (origin.agent === null || turn.id === null || this.owner() === origin.id);
  }

  /**
   * A forked session begins with a copy of what was said before it: the turn is of the session in which it began. Of versions without
   * turns nothing tells where a copy ends: all of it is the session that was forked.
   */
  private owner(): string {
    const { turn, origin, before } = this;
    if (turn.id === null) return before.at(-1) ?? origin.id;
    const { id } = turn;
    if (before.length === 0 || !TIMED.test(id) || !TIMED.test(origin.id)) return origin.id;
    const older = [origin.id, ...before].filter((session) => session <= id).sort();
    return older.at(-1) ?? before[0] ?? origin.id;
  }

  private notePast({ id, parent, agent }: Origin): void {
    for (const one of [id, parent, agent?.session]) if (one && one !== this.origin.id && !this.before.includes(one)) this.before.push(one);
  }

  private readKind({ kind, body }: RolloutLine): TranscriptRecord[] {
    switch (kind) {
      case 'session':
        this.readSession(readOrigin(body));
        return [];
      case 'turn':
        this.cwd = text(body.cwd) || this.cwd;
        if (!this.turn.isMarked && !this.isAsked && text(body.turn_id)) this.beginTurn(text(body.turn_id), false);
        return [];
      case 'compaction': {
        const summary = text(body.message).replace(HANDED_OVER, '').trim();
        return summary ? [this.record('PostCompact', { compact_summary: summary })] : [];
      }
      case 'item':
        return this.readItem(body);
      case 'event':
        return this.readEvent(body);
    }
  }

  private beginTurn(id: string | null, isMarked: boolean): void {
    this.turn = { position: this.position, id, promptId: id, isMarked };
  }

  private readSession(said: Origin): void {
    if (said.id === '') return;
    if (this.origin.id === '' || said.id === this.origin.id) {
      this.origin = { ...said, branch: said.branch ?? this.origin.branch };
      this.cwd = said.cwd || this.cwd;
    }
    this.notePast(said);
  }

  /** What goes to the model. What the person said is told for the screen, too, and there without what was put around it. */
  private readItem(body: Fields): TranscriptRecord[] {
    const type = text(body.type);
    if (type === 'message') return body.role === 'assistant' ? this.say(textsOf(body.content).join('\n'), this.at) : [];
    if (type.endsWith('_output')) return this.recordTools(this.calls.answer(body));
    return type.endsWith('_call') ? [...this.goOn(), ...this.recordTools(this.calls.begin(body, this.position))] : [];
  }

  private readEvent(body: Fields): TranscriptRecord[] {
    switch (body.type) {
      case 'task_started':
      case 'turn_started': {
        const left = this.leaveTurn();
        this.isAsked = false;
        this.closing = null;
        this.beginTurn(text(body.turn_id) || null, true);
        if (this.origin.agent) this.turn.promptId = text(body.root_turn_id) || this.turn.id;
        return left;
      }
      case 'task_complete':
      case 'turn_complete':
        return this.closeTurn(text(body.last_agent_message));
      case 'turn_aborted':
        return [...this.goOn(), ...this.closeTurn('', true)];
      case 'user_message':
        return text(body.kind) && body.kind !== 'plain' ? [] : this.readPrompt(text(body.message));
      case 'exec_command_end':
        return this.recordTools(this.calls.end(text(body.call_id), body));
      case 'item_completed': {
        const item = asRecord(body.item);
        if (item.type === 'UserMessage') return this.readPrompt(textsOf(item.content).join('\n'));
        return item.type === 'CommandExecution' ? this.recordTools(this.calls.end(text(item.id), item)) : [];
      }
      default:
        return [];
    }
  }

  private readPrompt(words: string): TranscriptRecord[] {
    const spoken = onlySpoken(words);
    if (spoken === '') return [];
    const isNext = !this.turn.isMarked && (this.isAsked || this.turn.id === null);
    const left = isNext ? this.leaveTurn() : [];
    if (isNext) this.beginTurn(null, false);
    // What an agent is told by another is no prompt of a person.
    if (this.origin.agent) return left;
    if (this.turn.id === null && (this.turn.promptId === null || !this.isAsked)) {
      this.turn.promptId = this.nextId(this.owner(), spoken);
      this.hasOwnIds = true;
    }
    this.isAsked = true;
    return [...left, this.record('UserPromptSubmit', { prompt: spoken })];
  }

  /** Another turn begins, or nothing more comes: where the end of a turn is told, it has not ended by that. */
  private leaveTurn(): TranscriptRecord[] {
    return this.turn.isMarked ? this.recordTools(this.calls.drop()) : this.closeTurn(null);
  }

  /** `message`: null where the transcript does not say that it is over. */
  private closeTurn(message: string | null, isInterrupted = false): TranscriptRecord[] {
    const left = this.recordTools(this.calls.drop());
    const ended = this.endTurn(message === null ? null : { message, at: this.at, isInterrupted });
    if (!this.turn.isMarked) this.turn = { ...this.turn, id: null, promptId: null };
    return [...left, ...ended];
  }
}

const HANDED_OVER = /^Another language model started to solve this problem and produced a summary[^:]*:\s*/;

type RolloutLine = {
  kind: 'session' | 'turn' | 'item' | 'event' | 'compaction';
  at: number | null;
  body: Fields;
};

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

type Origin = {
  id: string;
  cwd: string;
  branch: string | null;
  at: number | null;
  parent: string | null;
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
