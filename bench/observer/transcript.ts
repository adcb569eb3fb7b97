// Reads a Claude Code transcript, with its subagents, back into the hook payloads that its session would have sent.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type HookPayload = Record<string, unknown> & { hook_event_name: string; timestamp: string };

/** In the order they happened. Lines that are not JSON or of an unknown type are left out. */
export function readTranscript(path: string): HookPayload[] {
  const lines = parseLines(path);
  const main = mainPayloads(lines);
  const session = lines.find((line) => line.sessionId)?.sessionId;
  const payloads = mergeByTime(main, subagentPayloads(path.replace(/\.jsonl$/, '')));
  const last = payloads.at(-1);
  if (!last) return [];
  return [...payloads, { ...common(session, text(last.cwd), last.timestamp), hook_event_name: 'SessionEnd', reason: 'other' }];
}

type Block = {
  type?: string;
  text?: string;
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: unknown;
  is_error?: boolean;
};
type Line = {
  type?: string;
  isMeta?: boolean;
  isCompactSummary?: boolean;
  sessionId?: string;
  agentId?: string;
  promptId?: string;
  cwd?: string;
  timestamp?: string;
  message?: { model?: string; content?: string | Block[] };
  toolUseResult?: unknown;
};

function parseLines(path: string): Line[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        // A transcript is somebody else's format: every field is optional and checked where it is used.
        const parsed = JSON.parse(line) as Line | null;
        return parsed && typeof parsed === 'object' ? [parsed] : [];
      } catch {
        // A torn or foreign line is no event; the rest of the file still is.
        return [];
      }
    });
}

/** What is known while walking through the lines of one agent. */
type Walk = {
  payloads: HookPayload[];
  tools: Map<string, Block>;
  seenTools: Set<string>;
  seenTexts: Set<string>;
  lastSaid: string;
  isOpen: boolean;
};

const newWalk = (): Walk => ({
  payloads: [],
  tools: new Map(),
  seenTools: new Set(),
  seenTexts: new Set(),
  lastSaid: '',
  isOpen: false,
});

function mainPayloads(lines: Line[]): HookPayload[] {
  const walk = newWalk();
  let last: Line = {};
  for (const line of lines) {
    if (line.type === 'user') readUser(walk, line, last);
    else if (line.type === 'assistant') readAssistant(walk, line);
    else continue;
    last = line;
  }
  stopTurn(walk, last);
  return walk.payloads;
}

function readAssistant(walk: Walk, line: Line): void {
  const isCopy = walk.seenTexts.has(`assistant ${line.timestamp}`);
  for (const block of blocksOf(line)) {
    if (block.type === 'tool_use' && block.id) walk.tools.set(block.id, block);
    if (block.type === 'text' && !isCopy && line.message?.model !== '<synthetic>') walk.lastSaid = block.text ?? '';
  }
  walk.seenTexts.add(`assistant ${line.timestamp}`);
}

function readUser(walk: Walk, line: Line, last: Line): void {
  for (const block of blocksOf(line)) if (block.type === 'tool_result') readToolResult(walk, line, block);
  if (line.isCompactSummary) {
    push(walk, line, { hook_event_name: 'PostCompact', trigger: 'auto', compact_summary: promptOf(line) });
    return;
  }
  const prompt = promptOf(line);
  if (line.isMeta || prompt === '') return;
  if (prompt.startsWith('<local-command-stdout>')) {
    // The command before it was answered by the program itself: no prompt was sent.
    if (walk.payloads.at(-1)?.hook_event_name === 'UserPromptSubmit') walk.payloads.pop();
    walk.isOpen = false;
    return;
  }
  if (isCopied(walk, line)) return;
  if (prompt.startsWith('[Request interrupted')) {
    walk.isOpen = false;
    return;
  }
  stopTurn(walk, last);
  walk.isOpen = true;
  push(walk, line, { hook_event_name: 'UserPromptSubmit', prompt });
}

/** A resumed session repeats its past in the same file, under new ids but with the old times. */
function isCopied(walk: Walk, line: Line): boolean {
  const key = `user ${line.timestamp}`;
  const seen = walk.seenTexts.has(key);
  walk.seenTexts.add(key);
  return seen;
}

function readToolResult(walk: Walk, line: Line, block: Block): void {
  const use = walk.tools.get(block.tool_use_id ?? '');
  if (!use?.id || walk.seenTools.has(use.id)) return;
  walk.seenTools.add(use.id);
  const said = resultText(block.content);
  const base = { tool_name: use.name ?? '', tool_input: use.input, tool_use_id: use.id, agent_id: line.agentId };
  if (block.is_error) push(walk, line, { ...base, hook_event_name: 'PostToolUseFailure', error: said });
  else push(walk, line, { ...base, hook_event_name: 'PostToolUse', tool_response: line.toolUseResult ?? said });
}

/** An interrupted turn fires no Stop. */
function stopTurn(walk: Walk, line: Line): void {
  if (walk.isOpen && walk.payloads.length > 0) push(walk, line, { hook_event_name: 'Stop', last_assistant_message: walk.lastSaid });
  walk.isOpen = false;
  walk.lastSaid = '';
}

function subagentPayloads(folder: string): HookPayload[] {
  const subagents = join(folder, 'subagents');
  if (!existsSync(subagents)) return [];
  const files = readdirSync(subagents).filter((name) => name.endsWith('.jsonl'));
  return files.sort().flatMap((name) => oneSubagent(parseLines(join(subagents, name))));
}

function oneSubagent(lines: Line[]): HookPayload[] {
  const walk = newWalk();
  const told = lines.filter((line) => line.type === 'user' || line.type === 'assistant');
  for (const line of told) {
    if (line.type === 'assistant') readAssistant(walk, line);
    else for (const block of blocksOf(line)) if (block.type === 'tool_result') readToolResult(walk, line, block);
  }
  const last = told.at(-1);
  if (last)
    push(walk, last, {
      hook_event_name: 'SubagentStop',
      agent_id: last.agentId,
      agent_type: 'subagent',
      last_assistant_message: walk.lastSaid,
    });
  return walk.payloads;
}

function push(walk: Walk, line: Line, fields: { hook_event_name: string } & Record<string, unknown>): void {
  walk.payloads.push({ ...common(line.sessionId, line.cwd, line.timestamp), prompt_id: line.promptId, ...fields });
}

function common(session: string | undefined, cwd: string | undefined, timestamp: string | undefined) {
  return { session_id: session ?? 'unknown', cwd: cwd ?? '/', timestamp: timestamp ?? '' };
}

function blocksOf(line: Line): Block[] {
  const content = line.message?.content;
  return Array.isArray(content) ? content : [];
}

function promptOf(line: Line): string {
  const content = line.message?.content;
  if (typeof content === 'string') return content;
  return blocksOf(line)
    .filter((block) => block.type === 'text')
    .map((block) => block.text ?? '')
    .join('\n');
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((block: Block) => block.text ?? '').join('\n') : '';
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The main thread keeps the order of its file: times of slash commands are not in order. */
function mergeByTime(main: HookPayload[], others: HookPayload[]): HookPayload[] {
  const merged = [...main];
  for (const payload of others) {
    const after = merged.findIndex((one) => one.timestamp > payload.timestamp);
    merged.splice(after < 0 ? merged.length : after, 0, payload);
  }
  return merged;
}
