// Claude Code's own record of a session, read into what its hooks would have sent.
import { hashParts } from '../../core/ids.ts';
import { isWhollyPrivate, stripPrivate } from '../../core/privacy.ts';
import type { ToldByFile, TranscriptFile, TranscriptReader, TranscriptRecord } from '../agent.ts';
import type { Fields } from '../json.ts';
import { SAID, toRecord } from '../record.ts';
import { type Line, readLine, readSaid, type ToolResult, type ToolUse } from './transcript-line.ts';

/** `position`: where the latest prompt begins; what follows belongs to it. */
type Turn = { position: number; promptId: string | null; isPrivate: boolean; isOver: boolean; askedMark?: string };
type OpenUse = ToolUse & { line: Line; position: number };

export const createReader = (file: TranscriptFile): TranscriptReader => new Reader(file);

class Reader implements TranscriptReader {
  private readonly file: TranscriptFile;
  private turn: Turn = { position: 0, promptId: null, isPrivate: false, isOver: false };
  private readonly open = new Map<string, OpenUse>();
  /** What the agent said last: the closing message of its turn, once it is known that the turn is over. */
  private closing: { line: Line; texts: string[] } | null = null;
  /** A slash command is a prompt only if the agent is given something by it. Until then nothing ends by it. */
  private command: { line: Line; text: string; position: number } | null = null;
  private past: ToldByFile['past'];
  private startedAt: number | null = null;
  private last: Line | null = null;

  constructor(file: TranscriptFile) {
    this.file = file;
  }

  read(text: string, position: number): TranscriptRecord[] {
    const line = readLine(text, this.last);
    // Versions before 2 wrote what agents did among the session's own lines.
    if (!line || (line.isSidechain && !this.file.agent)) return [];
    this.startedAt ??= line.at || null;
    if (line.parent !== null) {
      this.hearParent(line, line.parent);
      return [];
    }
    this.last = line;
    if (line.type === 'user') return this.readUser(line, position);
    if (line.type === 'assistant') return this.readAssistant(line, position);
    if (line.type === 'queued') return this.readQueued(line);
    this.turn.isOver = true;
    return this.endTurn();
  }

  finish(isOver: boolean): TranscriptRecord[] {
    const ended = isOver || this.closing?.line.isEndOfTurn ? this.endTurn() : [];
    return isOver ? [...ended, ...this.dropOpen()] : ended;
  }

  resumeAt(): number {
    return Math.min(this.turn.position, this.open.values().next().value?.position ?? this.turn.position);
  }

  /** What the parent said is known by the parent; here it only matters whether any of it was private. */
  private hearParent(line: Line, parent: string): void {
    const hasPrivate = (line.type === 'user' || line.type === 'queued') && isPrivate(line.text);
    this.past = { session: parent || (this.past?.session ?? ''), hasPrivate: hasPrivate || (this.past?.hasPrivate ?? false) };
  }

  private record(line: Line, name: string, fields: Fields): TranscriptRecord {
    const { file, turn, startedAt, past } = this;
    const told: ToldByFile = {
      ...(file.agent ? startedAt && { agentStartedAt: startedAt } : { isUnderPrivate: turn.isPrivate }),
      ...(past && { past }),
      ...(turn.askedMark && { askedMark: turn.askedMark }),
    };
    return toRecord(name, line.at, {
      session_id: line.session || file.session || '',
      transcript_path: file.path,
      cwd: line.cwd,
      prompt_id: line.promptId ?? turn.promptId,
      ...(line.branch && { git_branch: line.branch }),
      ...(file.agent && { agent_id: file.agent.id }),
      ...fields,
      told,
    });
  }

  private readUser(line: Line, position: number): TranscriptRecord[] {
    if (line.results.length > 0) return line.results.flatMap((result) => this.readResult(line, result));
    if (line.isCompactSummary) return [this.record(line, 'PostCompact', { compact_summary: line.text })];
    const said = readSaid(line);
    if (said.kind === 'expansion') return this.keepCommand();
    this.command = null;
    if (said.kind === 'nothing') return [];
    if (said.kind === 'interruption') return this.interrupt(line);
    // What an agent is told by another is no prompt of a person.
    if (this.file.agent) {
      this.turn.promptId = line.promptId ?? this.turn.promptId;
      return [];
    }
    if (said.kind === 'command') {
      this.command = { line, text: said.text, position };
      return [];
    }
    return said.kind === 'prompt' && !isEmpty(said.text) ? this.readPrompt(line, said.text, position) : [];
  }

  private readPrompt(line: Line, text: string, position: number): TranscriptRecord[] {
    const ended = [...this.endTurn(), ...this.dropOpen()];
    // Old ones have no id: a copy in a resumed session has the same time.
    const byTime = line.promptId === null && { promptId: `at:${line.at}`, askedMark: hashParts([text]) };
    this.turn = { position, promptId: line.promptId, isPrivate: isPrivate(text), isOver: false, ...byTime };
    return [...ended, this.record(line, 'UserPromptSubmit', { prompt: text })];
  }

  private keepCommand(): TranscriptRecord[] {
    const { command } = this;
    this.command = null;
    return command ? this.readPrompt(command.line, command.text, command.position) : [];
  }

  /** Said while a turn runs, under the id of that turn: what follows belongs to it. */
  private readQueued(line: Line): TranscriptRecord[] {
    const { kind } = readSaid(line);
    if (this.file.agent || (kind !== 'prompt' && kind !== 'command') || isEmpty(line.text)) return [];
    this.turn.isPrivate = isPrivate(line.text);
    return [this.record(line, 'UserPromptSubmit', { prompt: line.text })];
  }

  /** No hook says so: that the turn is over stands here alone. */
  private interrupt(line: Line): TranscriptRecord[] {
    if (this.turn.isOver) return [...this.endTurn(), ...this.dropOpen()];
    const said = this.goOn();
    this.turn.isOver = true;
    const end = this.file.agent ? [] : [this.record(line, 'Stop', { last_assistant_message: '', is_interrupted: true })];
    return [...said, ...this.dropOpen(), ...end];
  }

  private readResult(line: Line, result: ToolResult): TranscriptRecord[] {
    const use = this.open.get(result.id);
    if (!use) return [];
    this.open.delete(result.id);
    const call = callOf(use);
    // What an MCP server answers, it words itself.
    const isRejected = result.rejection === 'marked' || (result.rejection === 'worded' && !use.tool_name.startsWith('mcp__'));
    if (isRejected) return [this.record(line, 'PostToolUseFailure', { ...call, error: refusalOf(result.text), is_undone: true })];
    if (result.isError) return [this.record(line, 'PostToolUseFailure', { ...call, error: result.text })];
    return [this.record(line, 'PostToolUse', { ...call, tool_response: result.response })];
  }

  private dropOpen(): TranscriptRecord[] {
    const uses = [...this.open.values()];
    this.open.clear();
    return uses.map((use) => this.record(use.line, 'PostToolUseFailure', { ...callOf(use), error: 'It has no result.', is_undone: true }));
  }

  private readAssistant(line: Line, position: number): TranscriptRecord[] {
    const isSame = this.closing !== null && line.messageId !== '' && this.closing.line.messageId === line.messageId;
    const ended = !isSame && this.closing?.line.isEndOfTurn ? this.endTurn() : [];
    if (line.isSynthetic) return ended;
    const before = isSame ? [] : this.goOn();
    // The agent speaks on. In doubt that is no answer to the command but the rest of what is private.
    if (this.turn.isPrivate && !this.turn.isOver) this.command = null;
    const kept = this.keepCommand();
    this.turn.isOver = line.isEndOfTurn;
    for (const use of line.uses) this.open.set(use.tool_use_id, { ...use, line, position });
    if (line.text) this.closing = { line, texts: [...(this.closing?.texts ?? []), line.text] };
    const said = line.uses.length > 0 ? this.goOn() : [];
    return [...ended, ...before, ...kept, ...said];
  }

  private endTurn(): TranscriptRecord[] {
    const { agent } = this.file;
    return this.takeClosing(agent ? 'SubagentStop' : 'Stop', agent ? { agent_type: agent.type } : {});
  }

  /** What was heard last was not the end: the agent went on. Of another agent's words only its report is kept. */
  private goOn(): TranscriptRecord[] {
    const said = this.takeClosing(SAID, {});
    return this.file.agent ? [] : said;
  }

  private takeClosing(name: string, fields: Fields): TranscriptRecord[] {
    const { closing } = this;
    this.closing = null;
    return closing ? [this.record(closing.line, name, { ...fields, last_assistant_message: closing.texts.join('\n') })] : [];
  }
}

const callOf = ({ tool_name, tool_input, tool_use_id }: ToolUse) => ({ tool_name, tool_input, tool_use_id });

/** What the person said instead is the most telling part of a refusal. */
function refusalOf(text: string): string {
  const said = /^The user doesn't want to [^\n]*?\bthe user said:\s*(.+)$/is
    .exec(text)?.[1]
    ?.replace(/\n+Note: The user's next message.*$/s, '')
    .trim();
  return said ? `It was not allowed. The user said: ${said}` : 'It was not allowed.';
}

const isPrivate = (text: string) => isWhollyPrivate(text, stripPrivate(text).text);
const isEmpty = (text: string) => stripPrivate(text).text.trim() === '' && !isPrivate(text);
