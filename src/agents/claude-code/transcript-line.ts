// One line of a Claude Code transcript, as far as it matters. Everything else in it is passed over.
import { ADDED, withoutBlocks } from '../../core/clean-prompt.ts';
import { asRecord, asRecords, type Fields, readJson, readTime, text, textsOf } from '../json.ts';
import { isContinuation, isMadeByAgent } from '../record.ts';

export type Line = NonNullable<ReturnType<typeof readLine>>;
/** `queued`: said while a turn runs. `end`: Claude Code says that the turn is over. */
type LineType = 'user' | 'assistant' | 'queued' | 'end';

export type ToolUse = { tool_name: string; tool_input: unknown; tool_use_id: string };

/** `response`: as the hook would have it, the agent's own object, else the text. */
export type ToolResult = {
  id: string;
  response: unknown;
  text: string;
  isError: boolean;
  /** By Claude Code's own mark, or by words that only its own tools cannot make up. */
  rejection: 'marked' | 'worded' | null;
};

/** Most lines are of other types: known without reading them. */
const MAY_MATTER = /"type":\s*"(?:user|assistant|system|queued_command)"/;

/** Null for what is no line, or of no use. A line that lacks something says nothing new about it: as in the one before. */
export function readLine(json: string, before: { session: string; cwd: string; at: number } | null) {
  if (!MAY_MATTER.test(json)) return null;
  const fields = asRecord(readJson(json));
  const type = typeOf(fields);
  if (!type) return null;
  const message = asRecord(fields.message);
  const attachment = asRecord(fields.attachment);
  const content = type === 'queued' ? attachment.prompt : message.content;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : asRecords(content);
  const texts = blocks.filter((block) => block.type === 'text').map((block) => text(block.text));
  const isShownOnly = fields.isVisibleInTranscriptOnly === true && fields.isCompactSummary !== true;
  return {
    type,
    session: text(fields.sessionId) || (before?.session ?? ''),
    cwd: text(fields.cwd) || (before?.cwd ?? ''),
    branch: text(fields.gitBranch) || null,
    at: readTime(fields.timestamp) ?? before?.at ?? 0,
    promptId: text(fields.promptId) || null,
    isSidechain: fields.isSidechain === true,
    /** A fork begins with what its parent said: the parent's session, '' when it is not told. Null for what is the session's own. */
    parent: fields.forkedFrom === undefined ? null : text(asRecord(fields.forkedFrom).sessionId),
    /** Added by Claude Code, not said by anybody. */
    isMeta: isSentByAgent(type === 'queued' ? attachment : fields) || isShownOnly,
    isCompactSummary: type === 'user' && (fields.isCompactSummary === true || isContinuation(texts.join('\n'))),
    /** Claude Code speaks in the place of the model. */
    isSynthetic: fields.isApiErrorMessage === true || message.model === '<synthetic>',
    /** Blocks of one message stand in lines of their own. */
    messageId: text(message.id),
    isEndOfTurn: ENDS.has(text(message.stop_reason)),
    text: texts.join('\n').trim(),
    texts,
    uses: type === 'assistant' ? blocks.flatMap(readUse) : [],
    results: type === 'user' ? readResults(blocks, fields) : [],
  };
}

const ENDS = new Set(['end_turn', 'stop_sequence', 'max_tokens', 'refusal']);

function typeOf(fields: Fields): LineType | null {
  if (fields.type === 'user' || fields.type === 'assistant') return fields.type;
  if (fields.type === 'attachment') return asRecord(fields.attachment).type === 'queued_command' ? 'queued' : null;
  const isEnd = fields.subtype === 'stop_hook_summary' || fields.subtype === 'turn_duration';
  return fields.type === 'system' && isEnd ? 'end' : null;
}

/** As a line says it of itself; older versions do not. What another session, a timer or a plugin sends is no word of a person either. */
function isSentByAgent({ origin, turnOrigin, commandMode, isMeta }: Fields): boolean {
  const kind = text(asRecord(origin).kind) || 'human';
  const isOfPeople = ['', 'human', 'sdk', 'unknown'].includes(text(turnOrigin));
  return isMeta === true || commandMode === 'task-notification' || kind !== 'human' || !isOfPeople;
}

function readUse(block: Fields): ToolUse[] {
  const id = text(block.id);
  if (block.type !== 'tool_use' || id === '') return [];
  return [{ tool_name: text(block.name), tool_input: block.input ?? {}, tool_use_id: id }];
}

function readResults(blocks: Fields[], { toolUseResult }: Fields): ToolResult[] {
  const results = blocks.filter((block) => block.type === 'tool_result' && text(block.tool_use_id) !== '');
  return results.map((block) => {
    const said = textsOf(block.content).join('\n');
    // The agent's own object stands beside the line, so it is of one result only.
    const own = results.length === 1 && typeof toolUseResult === 'object' ? toolUseResult : null;
    const bare = said.replace(/^<tool_use_error>(.*)<\/tool_use_error>$/s, '$1');
    const isError = block.is_error === true;
    const rejection = !isError ? null : text(toolUseResult) === MARK ? 'marked' : REJECTED.test(bare) ? 'worded' : null;
    return { id: text(block.tool_use_id), response: own ?? said, text: bare, isError, rejection };
  });
}

const MARK = 'User rejected tool use';
/** At the beginning: further on it is what a command printed. */
const REJECTED = /^(?:The user doesn't want to (?:proceed|take this action)|\[?Request interrupted|User rejected tool use)/;

export type Said =
  | { kind: 'prompt'; text: string }
  /** `/name arguments`: said to the agent only if Claude Code makes a prompt of it. */
  | { kind: 'command'; text: string }
  /** What Claude Code made of a slash command. */
  | { kind: 'expansion' | 'interruption' | 'nothing' };

/** What a person said in a line, without what Claude Code and its editor add to it. */
export function readSaid({ texts, isMeta }: Pick<Line, 'texts' | 'isMeta'>): Said {
  const own = texts.filter((said) => !isMadeByAgent(said)).map(withoutAdded);
  const bare = own.filter(Boolean).join('\n').trim();
  if (isMeta) return { kind: bare === '' ? 'nothing' : 'expansion' };
  if (bare.startsWith('[Request interrupted by user')) return { kind: 'interruption' };
  const name = /<command-name>([^<]{1,200})<\/command-name>/.exec(bare)?.[1]?.trim();
  if (name && /^\s*<command-/.test(bare)) {
    const words = /<command-args>(.*?)<\/command-args>/s.exec(bare)?.[1]?.trim() ?? '';
    return { kind: 'command', text: `${name.startsWith('/') ? name : `/${name}`} ${words}`.trim() };
  }
  return bare === '' ? { kind: 'nothing' } : { kind: 'prompt', text: bare };
}

const BLOCKS = new Set([...ADDED, 'bash-input']);

const withoutAdded = (said: string): string => (said.includes('<') ? withoutBlocks(said, BLOCKS).replace(CAVEAT, '').trim() : said.trim());

/** As older versions word it. */
const CAVEAT = /^Caveat: The messages below were generated by the user while running local commands\.[^\n]*\n?/;
