// Claude Code's own record of a session, read into what its hooks would have sent.

import { hashParts } from '../../core/ids.ts';
import { isWhollyPrivate, stripPrivate } from '../../core/privacy.ts';
import { wordTable } from '../../core/word-table.ts';
import {
  SAID,
  type ToldByFile,
  type TranscriptFile,
  type TranscriptReader,
  type TranscriptRecord,
} from '../transcript.ts';
import { createClosing } from './transcript-closing.ts';
import { asLine, type Line, type ToolResult } from './transcript-line.ts';
import { readSaid } from './transcript-said.ts';
import { createToolUses } from './transcript-tools.ts';

/** One file: a session's own, or a subagent's. */
export function createReader(file: TranscriptFile): TranscriptReader {
  const tools = createToolUses();
  const closing = createClosing();
  /** Where the latest prompt begins, and which it is: what follows belongs to it. */
  let turn: Turn = { position: 0, promptId: null, isPrivate: false, isOver: false };
  /** A slash command is a prompt only if the agent is given something by it. Until then nothing ends by it. */
  let command: { line: Line; text: string; position: number } | null = null;
  let past: ToldByFile['past'];
  let startedAt: number | null = null;
  let last: Line | null = null;

  const record = (line: Line, name: string, fields: Record<string, unknown>): TranscriptRecord => ({
    command: COMMANDS[name] ?? 'save',
    at: line.at,
    payload: {
      session_id: line.session || file.session || '',
      transcript_path: file.path,
      cwd: line.cwd,
      hook_event_name: name,
      timestamp: line.at,
      prompt_id: line.promptId ?? turn.promptId,
      ...(line.branch && { git_branch: line.branch }),
      ...(agentOf(line) && { agent_id: agentOf(line) }),
      ...fields,
      told: tell(),
    },
  });

  const tell = (): ToldByFile => ({
    ...(file.agent ? startedAt && { agentStartedAt: startedAt } : { isUnderPrivate: turn.isPrivate }),
    ...(past && { past }),
    ...(turn.askedMark && { askedMark: turn.askedMark }),
  });

  const agentOf = (line: Line) => file.agent?.id ?? (line.isSidechain ? line.agentId : null);

  const readPrompt = (line: Line, text: string, position: number): TranscriptRecord[] => {
    const ended = [...endTurn(), ...undone(tools.drop())];
    // Old ones have no id: a copy in a resumed session has the same time.
    const byTime = line.promptId === null && { promptId: `at:${line.at}`, askedMark: hashParts([text]) };
    turn = { position, promptId: line.promptId, isPrivate: isPrivate(text), isOver: false, ...byTime };
    return [...ended, record(line, 'UserPromptSubmit', { prompt: text })];
  };

  const undone = (uses: ReturnType<typeof tools.drop>) =>
    uses.map(({ line, ...use }) =>
      record(line, 'PostToolUseFailure', { ...use, error: 'It has no result.', is_undone: true }),
    );

  const endTurn = (): TranscriptRecord[] => {
    const said = closing.take();
    if (!said) return [];
    const name = file.agent ? 'SubagentStop' : 'Stop';
    const agent = file.agent ? { agent_type: file.agent.type } : {};
    return [record(said.line, name, { ...agent, last_assistant_message: said.text })];
  };

  /** What was heard last was not the end: the agent went on. Of another agent's words only its report is kept. */
  const goOn = (): TranscriptRecord[] => {
    const said = closing.take();
    return said && !file.agent ? [record(said.line, SAID, { last_assistant_message: said.text })] : [];
  };

  const readUser = (line: Line, position: number): TranscriptRecord[] => {
    if (line.results.length > 0) return line.results.flatMap((result) => readResult(line, result));
    if (line.isCompactSummary) return [record(line, 'PostCompact', { compact_summary: line.text })];
    const said = readSaid(line);
    const expanded = said.kind === 'expansion' ? keepCommand() : dropCommand();
    if (said.kind === 'nothing' || said.kind === 'expansion') return expanded;
    if (said.kind === 'interruption') return interrupt(line);
    // What an agent is told by another is no prompt of a person.
    if (file.agent || line.isSidechain) {
      turn.promptId = line.promptId ?? turn.promptId;
      return [];
    }
    if (said.kind === 'prompt') return isEmpty(said.text) ? [] : readPrompt(line, said.text, position);
    command = { line, text: said.text, position };
    return [];
  };

  /** No hook says so: that the turn is over stands here alone. */
  const interrupt = (line: Line): TranscriptRecord[] => {
    if (turn.isOver) return [...endTurn(), ...undone(tools.drop())];
    const said = goOn();
    turn.isOver = true;
    const end = agentOf(line) ? [] : [record(line, 'Stop', { last_assistant_message: '' })];
    return [...said, ...undone(tools.drop()), ...end];
  };

  /** Said while a turn runs, under the id of that turn: what follows belongs to it. */
  const readQueued = (line: Line): TranscriptRecord[] => {
    const { kind } = readSaid(line);
    if (file.agent || (kind !== 'prompt' && kind !== 'command') || isEmpty(line.text)) return [];
    turn.isPrivate = isPrivate(line.text);
    return [record(line, 'UserPromptSubmit', { prompt: line.text })];
  };

  const keepCommand = () => {
    const kept = command;
    command = null;
    return kept ? readPrompt(kept.line, kept.text, kept.position) : [];
  };
  /** The agent speaks on. In doubt that is no answer to the command but the rest of what is private. */
  const keepAnswered = () => (turn.isPrivate && !turn.isOver ? dropCommand() : keepCommand());
  const dropCommand = () => {
    command = null;
    return [];
  };

  const readResult = (line: Line, result: ToolResult): TranscriptRecord[] => {
    const use = tools.answer(result.id);
    if (!use) return [];
    const { tool_name, tool_input, tool_use_id } = use;
    const call = { tool_name, tool_input, tool_use_id };
    if (result.isRejected)
      return [record(line, 'PostToolUseFailure', { ...call, error: refusalOf(result.text), is_undone: true })];
    if (result.isError) return [record(line, 'PostToolUseFailure', { ...call, error: result.text })];
    return [record(line, 'PostToolUse', { ...call, tool_response: result.response })];
  };

  const readAssistant = (line: Line, position: number): TranscriptRecord[] => {
    const isNext = !closing.isSame(line);
    const ended = isNext && closing.isOver() ? endTurn() : [];
    if (line.isSynthetic) return ended;
    const before = isNext ? goOn() : [];
    const kept = keepAnswered();
    turn.isOver = line.isEndOfTurn;
    for (const use of line.uses) tools.begin({ ...use, line, position });
    if (line.text) closing.hear(line);
    const said = line.uses.length > 0 ? goOn() : [];
    return [...ended, ...before, ...kept, ...said];
  };

  const readLine = (line: Line, position: number): TranscriptRecord[] => {
    last = line;
    switch (line.type) {
      case 'user':
        return readUser(line, position);
      case 'assistant':
        return line.isSidechain && !file.agent ? readSidechain(line, position) : readAssistant(line, position);
      case 'queued':
        return readQueued(line);
      default:
        turn.isOver = true;
        return endTurn();
    }
  };

  /** In old transcripts the lines of agents stand among the session's own. */
  const readSidechain = (line: Line, position: number): TranscriptRecord[] => {
    for (const use of line.uses) tools.begin({ ...use, line, position });
    return [];
  };

  return {
    read(text, position) {
      const line = asLine(text, last);
      if (!line) return [];
      if (line.parent !== null) past = hearParent(line, past);
      startedAt ??= line.at || null;
      return line.parent === null ? readLine(line, position) : [];
    },
    finish(isOver) {
      const ended = isOver || closing.isOver() ? endTurn() : [];
      return isOver ? [...ended, ...undone(tools.drop())] : ended;
    },
    resumeAt: () => Math.min(turn.position, tools.oldest() ?? turn.position),
  };
}

type Turn = {
  position: number;
  promptId: string | null;
  isPrivate: boolean;
  isOver: boolean;
  askedMark?: string;
};

/** What the parent said is known by the parent; here it only matters whether any of it was private. */
function hearParent(line: Line, before: ToldByFile['past']): ToldByFile['past'] {
  const hasPrivate = (line.type === 'user' || line.type === 'queued') && isPrivate(line.text);
  return {
    session: line.parent || (before?.session ?? ''),
    hasPrivate: hasPrivate || (before?.hasPrivate ?? false),
  };
}

/** What the person said instead is the most telling part of a refusal. */
function refusalOf(text: string): string {
  const said = /\bthe user said:\s*(.+)$/is
    .exec(text)?.[1]
    ?.replace(/\n+Note: The user's next message.*$/s, '')
    .trim();
  return said ? `It was not allowed. The user said: ${said}` : 'It was not allowed.';
}

const isPrivate = (text: string) => isWhollyPrivate(text, stripPrivate(text).text);
/** Nothing but what the host has added. */
const isEmpty = (text: string) => stripPrivate(text).text.trim() === '' && !isPrivate(text);

const COMMANDS = wordTable<TranscriptRecord['command']>({ UserPromptSubmit: 'new', Stop: 'summary' });
