// Calls of a hub. What is away comes back; what the hub refuses a person must put right.
import type { z } from 'zod';
import { readBaseUrl, readLimited } from '../core/models.ts';
import { parseJson } from '../core/plain-json.ts';
import {
  InviteAnswer,
  LoginAnswer,
  MeAnswer,
  PairingAnswer,
  type PairingHalf,
  PullAnswer,
  PushAnswer,
  type Role,
  type SyncRecord,
} from '../core/shapes/sync.ts';

/** away: try again later. refused: the device was revoked, or may not do this. ahead: a clock is. invalid: the hub says what is wrong. */
export class HubCallError extends Error {
  readonly kind: 'away' | 'refused' | 'ahead' | 'invalid';
  constructor(kind: HubCallError['kind'], message: string) {
    super(message);
    this.name = 'HubCallError';
    this.kind = kind;
  }
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;
export type HubClient = ReturnType<typeof createHubClient>;

const TIMEOUT_MS = 30_000;
const WAIT_SECONDS = 25;
/** Several times the largest page of records. */
const MOST_ANSWER = 16 * 1024 * 1024;

/** https, or this machine: everything else could be read on the way. */
export function checkHubUrl(text: string): string {
  const read = readBaseUrl(text);
  if (read.kind === 'good') return text.replace(/\/+$/, '');
  throw new Error(`This hub cannot be used: its address ${read.reason}.`);
}

type Reached = { hub: string; token: string | null; fetch?: Fetch | undefined };

export function createHubClient({ hub, token, fetch = globalThis.fetch }: Reached) {
  const address = checkHubUrl(hub);
  const call = async <T>(method: string, path: string, shape: z.ZodType<T> | null, body?: unknown, signal?: AbortSignal): Promise<T> => {
    const patience = AbortSignal.timeout(TIMEOUT_MS);
    let response: Response;
    try {
      response = await fetch(`${address}/v1/${path}`, {
        method,
        // A hub elsewhere must not be named by this one.
        redirect: 'error',
        signal: signal ? AbortSignal.any([patience, signal]) : patience,
        headers: { ...(token && { authorization: `Bearer ${token}` }), ...(body !== undefined && { 'content-type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (error) {
      throw new HubCallError('away', `The hub does not answer (${error instanceof Error ? error.name : 'unknown'}).`);
    }
    const text = response.body ? await readLimited(response.body, MOST_ANSWER).catch(() => '') : '';
    if (text === null) throw new HubCallError('away', 'What answers there says more than a hub would.');
    if (response.ok) return readAnswer(text, shape);
    const said = readProblem(text);
    throw new HubCallError(kindOf(response.status), said || `The hub answered ${response.status}.`);
  };
  const enc = encodeURIComponent;
  return {
    call,
    me: () => call('GET', 'me', MeAnswer),
    wait: (seen: Record<string, number>, signal: AbortSignal) => call('POST', 'wait', MeAnswer, { seen, seconds: WAIT_SECONDS }, signal),
    push: (space: string, records: SyncRecord[]) => call('POST', 'push', PushAnswer, { space, records }),
    pull: (space: string, after: number) => call('GET', `pull?space=${enc(space)}&after=${after}`, PullAnswer),
    login: (code: string, device: string) => call('POST', 'login', LoginAnswer, { code, device }),
    invite: (name: string, role: Role) => call('POST', 'invites', InviteAnswer, { name, role }),
    addDevice: (device: string) => call('POST', 'devices', LoginAnswer, { device }),
    offer: (id: string, offer: PairingHalf) => call('POST', 'pairings', null, { id, offer }),
    pairing: (id: string) => call('GET', `pairings/${enc(id)}`, PairingAnswer),
    answer: (id: string, half: PairingHalf) => call('PUT', `pairings/${enc(id)}`, null, half),
    handOver: (id: string, sealed: string) => call('POST', `pairings/${enc(id)}`, null, { sealed }),
    endPairing: (id: string) => call('DELETE', `pairings/${enc(id)}`, null),
  };
}

function kindOf(status: number): HubCallError['kind'] {
  if (status >= 500 || status === 408 || status === 429) return 'away';
  return status === 401 || status === 403 ? 'refused' : status === 422 ? 'ahead' : 'invalid';
}

function readAnswer<T>(text: string, shape: z.ZodType<T> | null): T {
  // Without a shape nothing of the answer is used.
  if (shape === null) return undefined as T;
  const { success, data } = shape.safeParse(parseJson(text));
  if (success) return data;
  throw new HubCallError('away', 'What answers there is not a hub of this version.');
}

function readProblem(text: string): string {
  const { error } = Object(parseJson(text));
  // It is shown to people: one line, no control characters.
  return typeof error === 'string' ? error.replace(/\p{C}/gu, ' ').slice(0, 300) : '';
}
