// What a transcript tells, in the words of a hook; and of what was said to an agent, only the person's own words.
import { hashParts } from '../core/ids.ts';
import { wordTable } from '../core/text.ts';
import type { TranscriptRecord } from './agent.ts';
import type { Fields } from './json.ts';

/** The name of what an agent said between its tools, which no hook tells. */
export const SAID = 'AssistantMessage';

export const toRecord = (name: string, at: number, fields: TranscriptRecord['payload']): TranscriptRecord => ({
  command: COMMANDS[name] ?? 'save',
  at,
  payload: { hook_event_name: name, timestamp: at, ...fields },
});

const COMMANDS = wordTable<TranscriptRecord['command']>({ UserPromptSubmit: 'new', BeforeAgent: 'new', Stop: 'summary' });

/**
 * Ids for prompts that their agent gave none: the words in their session, so that a copy of a line comes to the same. To be
 * asked in the order of the file, from its beginning: what is said again is the second of its kind.
 */
export function createPromptIds(): (session: string, text: string) => string {
  const said = new Map<string, number>();
  return (session, text) => {
    // As prompts that are known by their time: their hook, if there was one, had no id for them either.
    const id = `at:${session}:${hashParts([text])}`;
    const times = (said.get(id) ?? 0) + 1;
    said.set(id, times);
    return times === 1 ? id : `${id}#${times}`;
  };
}

/**
 * What the readers of transcripts have in common: what the agent said last is known to have been the end of its turn only when it is
 * known what follows.
 */
export abstract class ChatReader {
  protected isAsked = false;
  /** What the agent said last, with no tool after it. */
  protected closing: { text: string; at: number } | null = null;

  protected abstract record(name: string, fields: Fields, at?: number): TranscriptRecord;
  /** Null but for a subagent: of its words only its report is kept. */
  protected abstract agentType(): string | null;

  protected say(text: string, at: number): TranscriptRecord[] {
    if (!text.trim()) return [];
    const before = this.goOn();
    this.closing = { text, at };
    return before;
  }

  /** What was heard last was not the end. */
  protected goOn(): TranscriptRecord[] {
    const { closing } = this;
    this.closing = null;
    if (!closing || !this.isAsked || this.agentType() !== null) return [];
    return [this.record(SAID, { last_assistant_message: closing.text }, closing.at)];
  }

  /** `told`: the transcript says that it is over, and when. Otherwise it is if the agent had said something in the end. */
  protected endTurn(told: { message: string; at: number; isInterrupted?: boolean } | null = null): TranscriptRecord[] {
    const { closing, isAsked } = this;
    this.closing = null;
    this.isAsked = false;
    const type = this.agentType();
    const message = told?.message || closing?.text || '';
    const isOver = type === null ? isAsked && (told !== null || message !== '') : message !== '';
    if (!isOver) return [];
    const cut = told?.isInterrupted && { is_interrupted: true };
    const fields = { ...(type !== null && { agent_type: type }), last_assistant_message: message, ...cut };
    return [this.record(type === null ? 'Stop' : 'SubagentStop', fields, told?.at ?? closing?.at)];
  }
}

/** News of background work. What stands behind the block is the agent's, too: where a result lies, how to go on. */
const NEWS = /^\s*<task-notification[\s>]/;
const CONTINUATION = /^\s*This session is being continued from a previous conversation\b/;

export const isContinuation = (said: string): boolean => CONTINUATION.test(said);
export const isMadeByAgent = (said: string): boolean => NEWS.test(said) || isContinuation(said);

const INJECTED = (
  'environment_context|user_instructions|INSTRUCTIONS|hook_context|session_context|system-reminder|permissions instructions|' +
  'collaboration_mode|skills_instructions|plugins_instructions|apps_instructions|skill|model_switch|turn_aborted|' +
  'subagent_notification|user_shell_command|goal_context|codex_internal_context|recommended_plugins'
).split('|');
const OF_THE_AGENT = [
  'This is the Gemini CLI. We are setting up the context for our chat.',
  'System: Please continue.',
  '[Request interrupted',
];
const RULES = /^#+ AGENTS\.md instructions[^\n]*\n+(?=<INSTRUCTIONS>)/;
/** An editor tells what is open before it comes to what was asked. */
const EDITOR = /^# Context from my IDE setup:[\s\S]*?^## My request for Codex:\s*/m;
const MENTIONED = '--- Content from referenced files ---';

/** Without the surroundings, the rules of the project, what hooks told. Empty when all of it was put there by the agent. */
export function onlySpoken(said: string): string {
  let text = said.trim();
  for (let before = ''; before !== text; ) {
    before = text;
    text = withoutLast(withoutFirst(text.replace(RULES, ''))).trim();
  }
  if (OF_THE_AGENT.some((start) => text.startsWith(start))) return '';
  const [words = ''] = text.replace(EDITOR, '').split(MENTIONED, 1);
  return words.trim();
}

function withoutFirst(text: string): string {
  const name = INJECTED.find((tag) => text.startsWith(`<${tag}>`));
  if (name === undefined) return text;
  // What it quotes may hold the tag that would end it.
  const next = text.indexOf(`<${name}>`, 1);
  const end = text.lastIndexOf(`</${name}>`, next < 0 ? text.length : next);
  return end < 0 ? '' : text.slice(end + name.length + 3);
}

function withoutLast(text: string): string {
  const name = INJECTED.find((tag) => text.endsWith(`</${tag}>`));
  const start = name === undefined ? -1 : text.lastIndexOf(`<${name}>`);
  return start < 0 ? text : text.slice(0, start);
}
