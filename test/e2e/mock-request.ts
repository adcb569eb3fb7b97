// Reading a request of the CLI to the Messages API: which script it belongs to, and what the model was told in it.

type Block = { type: string; text?: string; tool_use_id?: string; content?: string | Block[]; [key: string]: unknown };
type Message = { role: 'user' | 'assistant' | 'system'; content: string | Block[] };
export type MessagesBody = {
  model: string;
  system?: string | Block[];
  messages: Message[];
  tools?: { name: string }[];
  metadata?: { user_id?: string };
};

export type MockRequest = {
  sessionId: string;
  body: MessagesBody;
  isCompaction: boolean;
  /** The script named last in the conversation; null when none is. */
  script: string | null;
  step: number;
};

const MARKER = /\[\[mock:([\w-]+)\]\]/g;
const COMPACTION = /Your task is to create a (detailed|concise) summary/;

export function describeRequest(body: MessagesBody): MockRequest {
  const marked = body.messages.findLastIndex((message) => namedScript(message) !== null);
  const marker = body.messages[marked];
  return {
    sessionId: sessionIdOf(body),
    body,
    isCompaction: COMPACTION.test(userText(body.messages.findLast((message) => message.role === 'user'))),
    script: marker === undefined ? null : namedScript(marker),
    step: body.messages.slice(marked + 1).filter((message) => message.role === 'assistant').length,
  };
}

/** All the model reads in a request but the tools: injected context counts wherever the CLI of the day puts it. */
export function textOf(request: MockRequest): string {
  const messages = request.body.messages.map((message) => blocksOf(message.content).map(blockText).join('\n'));
  return [
    blocksOf(request.body.system ?? [])
      .map(blockText)
      .join('\n'),
    ...messages,
  ].join('\n');
}

/** The ids of the tools that ran, sorted. A call that the CLI refused before it ran (unknown tool, bad input) fires no hook. */
export function toolUseIds(requests: MockRequest[]): string[] {
  const blocks = requests.flatMap(({ body }) => body.messages.flatMap((message) => blocksOf(message.content)));
  const ran = blocks.filter((block) => block.type === 'tool_result' && !blockText(block).startsWith('<tool_use_error>'));
  return [...new Set(ran.map((block) => String(block.tool_use_id)))].sort();
}

/** What the tools told, oldest first, since the person last spoke. */
export function toolResults({ body, step }: MockRequest): string[] {
  const blocks = body.messages.flatMap((message) => blocksOf(message.content));
  const results = blocks.filter((block) => block.type === 'tool_result').map(blockText);
  return step === 0 ? [] : results.slice(-step);
}

/** Memory that was injected may quote an earlier prompt, marker and all; the person's own words come last. */
function namedScript(message: Message): string | null {
  if (message.role !== 'user') return null;
  return [...userText(message).matchAll(MARKER)].at(-1)?.[1] ?? null;
}

function userText(message: Message | undefined): string {
  const texts = blocksOf(message?.content ?? []).filter((block) => block.type === 'text');
  return texts.map((block) => block.text ?? '').join('\n');
}

function blocksOf(content: string | Block[]): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function blockText(block: Block): string {
  if (block.type === 'text') return block.text ?? '';
  if (block.type === 'tool_result')
    return blocksOf(block.content ?? [])
      .map(blockText)
      .join('\n');
  return JSON.stringify(block);
}

function sessionIdOf(body: MessagesBody): string {
  const user: { session_id?: string } = JSON.parse(body.metadata?.user_id ?? '{}');
  return user.session_id ?? '';
}
