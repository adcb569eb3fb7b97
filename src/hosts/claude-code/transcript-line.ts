// One line of a Claude Code transcript, as far as it matters. Everything else in it is passed over.
import { asList, asRecord, type Fields, text } from '../fields.ts';
import { readJson } from '../json.ts';
import { isContinuation, isSentByHost } from './host-made.ts';

export type Line = {
  /** `queued`: said while a turn runs. `end`: the host says that the turn is over. */
  type: 'user' | 'assistant' | 'queued' | 'end';
  session: string;
  cwd: string;
  branch: string | null;
  at: number;
  promptId: string | null;
  agentId: string | null;
  isSidechain: boolean;
  /** A fork begins with what its parent said: the parent's session, '' when it is not told. Null for what is the session's own. */
  parent: string | null;
  /** Added by the host, not said by anybody. */
  isMeta: boolean;
  isCompactSummary: boolean;
  /** The host speaks in the place of the model. */
  isSynthetic: boolean;
  /** Blocks of one message stand in lines of their own. */
  messageId: string;
  isEndOfTurn: boolean;
  /** All text of it, a paragraph for each block. */
  text: string;
  texts: string[];
  uses: ToolUse[];
  results: ToolResult[];
};

export type ToolUse = { tool_name: string; tool_input: unknown; tool_use_id: string };

export type ToolResult = {
  id: string;
  /** As the hook would have it: the host's own object, else the text. */
  response: unknown;
  text: string;
  isError: boolean;
  isRejected: boolean;
};

/** Most lines are of other types: known without reading them. */
const MAY_MATTER = /"type":\s*"(?:user|assistant|system|queued_command)"/;
/** A later line that lacks something says nothing new about it. */
type Before = Pick<Line, 'session' | 'cwd' | 'at'> | null;

/** Null for what is no line, or of no use. */
export function asLine(json: string, before: Before): Line | null {
  if (!MAY_MATTER.test(json)) return null;
  const fields = asRecord(readJson(json));
  const type = typeOf(fields);
  if (!type) return null;
  const message = asRecord(fields.message);
  const content = type === 'queued' ? asRecord(fields.attachment).prompt : message.content;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : asList(content).map(asRecord);
  const texts = blocks.filter((block) => block.type === 'text').map((block) => text(block.text));
  const isCompactSummary = type === 'user' && (fields.isCompactSummary === true || isContinuation(texts.join('\n')));
  return {
    type,
    session: text(fields.sessionId) || (before?.session ?? ''),
    cwd: text(fields.cwd) || (before?.cwd ?? ''),
    branch: text(fields.gitBranch) || null,
    at: readTime(fields.timestamp) ?? before?.at ?? 0,
    promptId: text(fields.promptId) || null,
    agentId: text(fields.agentId) || null,
    isSidechain: fields.isSidechain === true,
    parent: fields.forkedFrom === undefined ? null : text(asRecord(fields.forkedFrom).sessionId),
    isMeta: isSentByHost(type === 'queued' ? asRecord(fields.attachment) : fields) || isOnlyShown(fields),
    isCompactSummary,
    isSynthetic: fields.isApiErrorMessage === true || message.model === '<synthetic>',
    messageId: text(message.id),
    isEndOfTurn: ENDS.has(text(message.stop_reason)),
    text: texts.join('\n').trim(),
    texts,
    uses: type === 'assistant' ? blocks.flatMap(asUse) : [],
    results: type === 'user' ? readResults(blocks, fields) : [],
  };
}

const isOnlyShown = ({ isVisibleInTranscriptOnly, isCompactSummary }: Fields) =>
  isVisibleInTranscriptOnly === true && isCompactSummary !== true;

const ENDS = new Set(['end_turn', 'stop_sequence', 'max_tokens', 'refusal']);

function typeOf(fields: Fields): Line['type'] | null {
  if (fields.type === 'user' || fields.type === 'assistant') return fields.type;
  if (fields.type === 'attachment') return asRecord(fields.attachment).type === 'queued_command' ? 'queued' : null;
  const isEnd = fields.subtype === 'stop_hook_summary' || fields.subtype === 'turn_duration';
  return fields.type === 'system' && isEnd ? 'end' : null;
}

function readTime(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return at > 0 ? at : null;
}

function asUse(block: Fields): ToolUse[] {
  const id = text(block.id);
  if (block.type !== 'tool_use' || id === '') return [];
  return [{ tool_name: text(block.name), tool_input: block.input ?? {}, tool_use_id: id }];
}

function readResults(blocks: Fields[], { toolUseResult }: Fields): ToolResult[] {
  const results = blocks.filter((block) => block.type === 'tool_result' && text(block.tool_use_id) !== '');
  return results.map((block) => {
    const said = textOfContent(block.content);
    // The host's own object stands beside the line, so it is of one result only.
    const own = results.length === 1 && typeof toolUseResult === 'object' ? toolUseResult : null;
    return {
      id: text(block.tool_use_id),
      response: own ?? said,
      text: said.replace(/^<tool_use_error>(.*)<\/tool_use_error>$/s, '$1'),
      isError: block.is_error === true,
      isRejected: block.is_error === true && REJECTED.test(`${said}\n${text(toolUseResult)}`),
    };
  });
}

const REJECTED =
  /^(?:The user doesn't want to (?:proceed|take this action)|\[Request interrupted by user|Request interrupted)|User rejected tool use/;

const textOfContent = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : asList(content)
        .map((block) => text(asRecord(block).text))
        .filter(Boolean)
        .join('\n');
