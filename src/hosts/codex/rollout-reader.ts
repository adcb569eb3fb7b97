// Codex's own record of a session, read into what its hooks would have sent.

import { dirname } from 'node:path';
import { wordTable } from '../../core/word-table.ts';
import { asRecord, type Fields, text } from '../fields.ts';
import { createPromptIds } from '../prompt-ids.ts';
import { onlySpoken } from '../spoken.ts';
import { SAID, type TranscriptFile, type TranscriptReader, type TranscriptRecord } from '../transcript.ts';
import { createOpenCalls, partsOf, type ToolDone } from './open-calls.ts';
import { describeOrigin, findCwd, readOrigin } from './origin.ts';
import { createPromptPairs, type Telling } from './prompt-pairs.ts';
import { type RolloutLine, readRolloutLine } from './rollout-line.ts';
import { ownerOfTurn } from './turn-owner.ts';

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
  position,
  id,
  promptId: id,
  isMarked,
  hasPrompt: false,
  closing: null,
});

export function createRolloutReader(file: TranscriptFile, beginning: string): TranscriptReader {
  let origin = readOrigin(file, beginning);
  let { cwd } = origin;
  const before = [origin.parent, origin.agent?.session].filter((id) => typeof id === 'string');
  const calls = createOpenCalls();
  const pairs = createPromptPairs();
  const ids = createPromptIds();
  let turn = newTurn(0, null, false);
  let at = origin.at ?? 0;
  /** Only a reading from the beginning gives such prompts the same ids again. */
  let hasOwnIds = false;

  /** Of versions without turns nothing tells where a copy ends: all of it is the session that was forked. */
  const owner = () => (turn.id === null ? (before.at(-1) ?? origin.id) : ownerOfTurn(turn.id, origin.id, before));

  const record = (name: string, fields: Fields, when = at): TranscriptRecord => ({
    command: COMMANDS[name] ?? 'save',
    at: when,
    payload: {
      session_id: origin.agent?.session ?? owner(),
      transcript_path: file.path,
      cwd: cwd || dirname(file.path),
      hook_event_name: name,
      timestamp: when,
      prompt_id: turn.promptId,
      ...(origin.branch && { git_branch: origin.branch }),
      ...(origin.agent && { agent_id: origin.id }),
      ...fields,
    },
  });

  const recordTools = (done: ToolDone[]): TranscriptRecord[] =>
    done.map((tool) => {
      const prefix = origin.agent ? origin.id : owner();
      return record(tool.hook_event_name, { ...tool, tool_use_id: `${prefix}:${tool.tool_use_id}` });
    });

  const readSession = (body: Fields) => {
    const said = describeOrigin(body);
    if (said.id === '') return;
    if (origin.id === '' || said.id === origin.id) {
      origin = { ...said, branch: said.branch ?? origin.branch };
      cwd = said.cwd || cwd;
    }
    for (const id of [said.id, said.parent, said.agent?.session])
      if (id && id !== origin.id && !before.includes(id)) before.push(id);
  };

  const readPrompt = (telling: Telling, words: string, position: number): TranscriptRecord[] => {
    const spoken = onlySpoken(words);
    if (spoken === '' || pairs.isSecond(telling, spoken)) return [];
    const isNext = !turn.isMarked && (turn.hasPrompt || turn.id === null);
    const ended = isNext ? endTurn(null) : [];
    if (isNext) turn = newTurn(position, null, false);
    // What an agent is told by another is no prompt of a person.
    if (origin.agent) return ended;
    if (turn.id === null && (turn.promptId === null || !turn.hasPrompt)) {
      turn.promptId = ids.next(owner(), spoken);
      hasOwnIds = true;
    }
    turn.hasPrompt = true;
    return [...ended, record('UserPromptSubmit', { prompt: spoken })];
  };

  const hear = (said: string): TranscriptRecord[] => {
    if (!said.trim()) return [];
    const before = goOn();
    turn.closing = { text: said, at };
    return before;
  };

  /** What was heard last was not the end. Of another agent's words only its report is kept. */
  const goOn = (): TranscriptRecord[] => {
    const said = turn.closing;
    turn.closing = null;
    return said && turn.hasPrompt && !origin.agent
      ? [record(SAID, { last_assistant_message: said.text }, said.at)]
      : [];
  };

  /** `told`: the transcript says that it is over. Otherwise it is if the agent had said something in the end. */
  const endTurn = (told: { message: string } | null): TranscriptRecord[] => {
    const left = recordTools(calls.drop());
    const { closing } = turn;
    const message = told?.message || closing?.text || '';
    const isOver = origin.agent ? message !== '' : turn.hasPrompt && (told !== null || message !== '');
    const name = origin.agent ? 'SubagentStop' : 'Stop';
    const fields = { ...(origin.agent && { agent_type: origin.agent.type }), last_assistant_message: message };
    const ended = isOver ? [record(name, fields, told ? at : closing?.at)] : [];
    turn = { ...turn, closing: null, hasPrompt: false, ...(!turn.isMarked && { id: null, promptId: null }) };
    return [...left, ...ended];
  };

  const readMessage = (body: Fields, position: number): TranscriptRecord[] => {
    const parts = partsOf(body.content);
    if (body.role === 'assistant') {
      pairs.clear();
      return hear(parts.join('\n'));
    }
    if (body.role !== 'user') return [];
    if (cwd === '') cwd = parts.map(findCwd).find(Boolean) ?? '';
    const spoken = parts
      .filter((part) => !PICTURE.test(part))
      .map(onlySpoken)
      .filter(Boolean);
    return readPrompt('item', spoken.join('\n'), position);
  };

  const readItem = (body: Fields, position: number): TranscriptRecord[] => {
    const type = text(body.type);
    if (type === 'message') return readMessage(body, position);
    if (type.endsWith('_output')) return recordTools(calls.answer(body));
    if (!type.endsWith('_call')) return [];
    pairs.clear();
    return [...goOn(), ...recordTools(calls.begin(body, position))];
  };

  const readEvent = (body: Fields, position: number): TranscriptRecord[] => {
    switch (body.type) {
      case 'task_started':
      case 'turn_started': {
        const ended = turn.isMarked ? recordTools(calls.drop()) : endTurn(null);
        pairs.clear();
        turn = newTurn(position, text(body.turn_id) || null, true);
        if (origin.agent) turn.promptId = text(body.root_turn_id) || turn.id;
        return ended;
      }
      case 'task_complete':
      case 'turn_complete':
        return endTurn({ message: text(body.last_agent_message) });
      case 'turn_aborted':
        return [...goOn(), ...endTurn({ message: '' })];
      case 'user_message':
        return text(body.kind) && body.kind !== 'plain' ? [] : readPrompt('event', text(body.message), position);
      case 'exec_command_end':
        return recordTools(calls.end(text(body.call_id), body));
      case 'item_completed':
        return readCompleted(asRecord(body.item), position);
      default:
        return [];
    }
  };

  const readCompleted = (item: Fields, position: number): TranscriptRecord[] => {
    if (item.type === 'UserMessage') return readPrompt('event', partsOf(item.content).join('\n'), position);
    if (item.type === 'CommandExecution') return recordTools(calls.end(text(item.id), item));
    return [];
  };

  const readLine = ({ kind, body }: RolloutLine, position: number): TranscriptRecord[] => {
    switch (kind) {
      case 'session':
        readSession(body);
        return [];
      case 'turn':
        cwd = text(body.cwd) || cwd;
        if (!turn.isMarked && !turn.hasPrompt && text(body.turn_id))
          turn = newTurn(position, text(body.turn_id), false);
        return [];
      case 'compaction': {
        const summary = text(body.message).replace(HANDED_OVER, '').trim();
        return summary ? [record('PostCompact', { compact_summary: summary })] : [];
      }
      case 'item':
        return readItem(body, position);
      case 'event':
        return readEvent(body, position);
    }
  };

  /** Without a session nothing can be kept; what an agent was given to begin with is the session's own. */
  const isKept = () => origin.id !== '' && (origin.agent === null || turn.id === null || owner() === origin.id);

  return {
    read(said, position) {
      const line = readRolloutLine(said);
      if (line === null) return [];
      at = line.at ?? at;
      const records = readLine(line, position);
      return isKept() ? records : [];
    },
    finish: (isOver) => (isOver && isKept() ? (turn.isMarked ? recordTools(calls.drop()) : endTurn(null)) : []),
    // What a fork or an agent comes from stands in the first line alone.
    resumeAt: () => (hasOwnIds || before.length > 0 ? 0 : Math.min(turn.position, calls.oldest() ?? turn.position)),
  };
}

const COMMANDS = wordTable<TranscriptRecord['command']>({ UserPromptSubmit: 'new', Stop: 'summary' });

/** Marks where a picture was, not words. */
const PICTURE = /^<\/?image\b[^>]*>$/;

/** Codex's own words before a summary. */
const HANDED_OVER = /^Another language model started to solve this problem and produced a summary[^:]*:\s*/;
