// Between node's messages and the Request and Response that the app knows.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { REFUSALS, type Refusal, sayRefusal } from './refusal.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Null when it is larger. Rejects when the caller hangs up. */
export async function readBytes(incoming: IncomingMessage, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

export type Asked = { incoming: IncomingMessage; port: number; body: Uint8Array<ArrayBuffer>; signal: AbortSignal };

/** The guard has seen that host and target are plain. */
export function makeRequest({ incoming, port, body, signal }: Asked): Request {
  const headers = new Headers();
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
    headers.append(incoming.rawHeaders[at] ?? '', incoming.rawHeaders[at + 1] ?? '');
  }
  const url = `http://127.0.0.1:${port}${incoming.url}`;
  return new Request(url, { method: incoming.method ?? 'GET', headers, signal, ...(body.length > 0 ? { body } : {}) });
}

export const refusalResponse = (refusal: Refusal) =>
  new Response(sayRefusal(refusal), {
    status: refusal.status,
    headers: { 'Content-Type': 'application/json', Connection: 'close' },
  });

/** A caller that does not read is let go after `stallMs`: what waits for it is held in our memory. */
export async function sendResponse(response: Response, outgoing: ServerResponse, stallMs: number): Promise<void> {
  for (const [name, value] of response.headers) {
    if (!name.startsWith('access-control-')) outgoing.setHeader(name, value);
  }
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) outgoing.setHeader(name, value);
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  await (isStream ? sendStream : sendWhole)(response, outgoing, stallMs);
  outgoing.end();
}

async function sendWhole(response: Response, outgoing: ServerResponse, stallMs: number): Promise<void> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  outgoing.statusCode = response.status;
  // Of a HEAD without a body it is not known.
  if (bytes.length === 0) return;
  outgoing.setHeader('Content-Length', bytes.length);
  if (!outgoing.write(bytes)) await waitForDrain(outgoing, stallMs);
}

async function sendStream(response: Response, outgoing: ServerResponse, stallMs: number): Promise<void> {
  outgoing.writeHead(response.status);
  // The page learns that it is connected, even if nothing happens for a while.
  outgoing.flushHeaders();
  const reader = response.body?.getReader();
  const stop = () => void reader?.cancel().catch(() => undefined);
  outgoing.once('close', stop);
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || outgoing.destroyed) break;
    if (!outgoing.write(value)) await waitForDrain(outgoing, stallMs);
  }
  outgoing.off('close', stop);
  stop();
}

function waitForDrain(outgoing: ServerResponse, stallMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      outgoing.off('drain', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(() => outgoing.destroy(), stallMs);
    outgoing.once('drain', done).once('close', done);
  });
}

const REASONS: Record<number, string> = {
  [REFUSALS.request.status]: 'Bad Request',
  [REFUSALS.slow.status]: 'Request Timeout',
  [REFUSALS.headers.status]: 'Request Header Fields Too Large',
  [REFUSALS.busy.status]: 'Service Unavailable',
};

/** For what never became a request. */
export function rawRefusal(refusal: Refusal): string {
  const body = sayRefusal(refusal);
  const headers = {
    ...SECURITY_HEADERS,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${refusal.status} ${REASONS[refusal.status] ?? 'Refused'}`, ...lines, '', body].join('\r\n');
}
