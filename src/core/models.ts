// The models of Claude with their prices, what was spent on one, and which addresses of a model may be used.

/** The one place that holds a price. */
type ClaudeModel = {
  /** As the API knows it; `claude` knows the short name itself. */
  id: string;
  /** List prices in US dollars for a million tokens. */
  input: number;
  output: number;
};

const CLAUDE_MODELS: Record<string, ClaudeModel> = {
  sonnet: { id: 'claude-sonnet-4-5', input: 3, output: 15 },
  haiku: { id: 'claude-haiku-4-5', input: 1, output: 5 },
  opus: { id: 'claude-opus-4-5', input: 5, output: 25 },
};

export const DEFAULT_MODEL = 'sonnet';

export const apiName = (model: string): string => CLAUDE_MODELS[model]?.id ?? model;

/** By a short name, by its own, or as a cloud knows it: `eu.anthropic.claude-…`, `arn:…`. */
export const isClaudeModel = (model: string): boolean =>
  Object.hasOwn(CLAUDE_MODELS, model) || model === 'default' || /^(?:[\w.-]+\.)?claude-[\w.@:-]+$|^arn:\S+$/.test(model);

export const DAY_TURNS = 30;
/** Of one turn: the question as `npm run bench -- --only model` measures it, and an answer of two observations and a summary. */
export const TURN_TOKENS = { input: 4900, output: 800 };

/** In dollars; null for a model whose price is not known here. An estimate: turns differ, and a subscription is not billed by the token. */
export function priceOfDay(model: string): string | null {
  const known = Object.entries(CLAUDE_MODELS).find(([name, { id }]) => name === model || id === model)?.[1];
  if (!known) return null;
  const dollars = (DAY_TURNS * (TURN_TOKENS.input * known.input + TURN_TOKENS.output * known.output)) / 1_000_000;
  return `$${dollars.toFixed(2)}`;
}

/** Tokens as the provider bills them. `cachedTokens` were read from its cache and are not part of `inputTokens`. */
export type Usage = { inputTokens: number; cachedTokens: number; outputTokens: number };

/** A request that was refused or never got there. */
export const NOTHING_USED: Usage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };

/** `reason` goes on after "it" or "the base URL"; a password in the text is never repeated. */
type BaseUrl = { kind: 'good'; url: URL } | { kind: 'bad'; url: URL | null; reason: string };

export function readBaseUrl(text: string): BaseUrl {
  const url = URL.parse(text);
  const bad = (reason: string): BaseUrl => ({ kind: 'bad', url, reason });
  if (url === null || !/^https?:$/.test(url.protocol)) return bad('is not a URL like https://host/v1');
  if (url.username !== '' || url.password !== '') return bad('has a user or password in it; set the key instead');
  if (/[?#]/.test(text)) return bad('has a query or a fragment; leave it out');
  if (url.protocol === 'https:' || isLoopback(url)) return { kind: 'good', url };
  return bad('must begin with https:// (http:// is only for this machine)');
}

/** By the parsed name: the parser has already brought 127.1 and 0x7f000001 into this form. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** A key and the host it was given for (with the port, unless it is the default one). */
export type BoundKey = { value: string; host: string };

/** Where requests go, without a slash at its end; or why neither key nor texts may be sent there. */
export function findEndpoint({ baseUrl, key }: { baseUrl: string; key: BoundKey | null }): { endpoint: string } | { problem: string } {
  const read = readBaseUrl(baseUrl);
  if (read.kind === 'bad') return { problem: `The base URL${read.url?.host ? ` for ${read.url.host}` : ''} ${read.reason}.` };
  const { host, origin, pathname } = read.url;
  if (key === null && !isLoopback(read.url)) return { problem: `${host} needs a key, and none is set.` };
  if (key !== null && !/^[\x21-\x7e]+$/.test(key.value))
    return { problem: `The key for ${host} is empty or has a space or line break in it. Set it again.` };
  if (key !== null && key.host.toLowerCase() !== host)
    return { problem: `The key was set for ${key.host} and is not sent to ${host}. Set it again for ${host}.` };
  return { endpoint: `${origin}${pathname.replace(/\/+$/, '')}` };
}

type Post = {
  key: BoundKey | null;
  headers?: Record<string, string>;
  body: object;
  signal: AbortSignal;
  maxBytes: number;
  /** The part of the runtime's fetch that is used. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
};

/** A redirect would carry the key to a host it was not set for. A kept connection may be found dead and the request repeated. */
export async function postJson(url: string, { key, headers, body, signal, maxBytes, fetch = globalThis.fetch }: Post) {
  const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key.value}` };
  const all = { accept: 'application/json', 'content-type': 'application/json', ...headers, ...authorization };
  const init = { method: 'POST', headers: all, body: JSON.stringify(body), signal, redirect: 'manual', keepalive: false } as const;
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, body: response.body ? await readLimited(response.body, maxBytes) : '' };
}

/** Null when it is larger; leaving the loop closes the connection. */
export async function readLimited(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

type ModelSettings = { provider: string; baseUrl: string; claudeLogin: string };

/** A name that the provider cannot know. What it is behind an address of its own, nobody knows here. */
export function refuseModel(config: ModelSettings, model: string): void {
  if (!asksClaude(config) || isClaudeModel(model)) return;
  throw new Error(
    `There is no model "${model}" of Claude: it is sonnet, haiku, opus, or a name that begins with claude-. Nothing has changed.`,
  );
}

/** `auto` asks for your login, and nobody else's. */
export const asksClaude = ({ provider, baseUrl, claudeLogin }: ModelSettings) =>
  provider === 'claude' || (provider === 'auto' && claudeLogin !== 'deny') || (provider === 'anthropic' && !baseUrl);
