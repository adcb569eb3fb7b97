// The token of this tab: got for the code in the address or from another tab, kept in sessionStorage, sent with every request.
import { signal } from '@preact/signals';
import { answerSiblings, askSiblings } from './siblings.ts';

const KEY = 'claude-mem-token';

export type Entry =
  /** Whether the code is still good, or another tab has a token, is being asked. */
  | { kind: 'entering' }
  | { kind: 'in'; token: string }
  /** Why not, for the person. */
  | { kind: 'out'; reason: 'none' | 'used' | 'refused' };

export const entry = signal<Entry>(remembered());

function remembered(): Entry {
  const token = sessionStorage.getItem(KEY);
  return token ? { kind: 'in', token } : { kind: 'entering' };
}

/** By the code in the address; else by another tab of this browser that is in already. */
export async function getIn(): Promise<void> {
  const code = takeCode();
  if (code) await redeem(code);
  // One that was refused knows what the others know.
  if (entry.value.kind === 'in' || (!code && entry.value.kind === 'out')) return;
  const token = await askSiblings();
  if (token) enter(token);
  else entry.value = { kind: 'out', reason: code ? 'used' : 'none' };
}

export function helpSiblings(): void {
  answerSiblings(() => (entry.value.kind === 'in' ? entry.value.token : null));
}

/** `#t=CODE` leaves the address and the history at once. */
function takeCode(): string | null {
  const code = /^#t=([\w-]+)$/.exec(location.hash)?.[1];
  if (!code) return null;
  history.replaceState(null, '', location.pathname + location.search);
  return code;
}

/** Good for one exchange. */
async function redeem(code: string): Promise<void> {
  if (entry.value.kind !== 'in') entry.value = { kind: 'entering' };
  const response = await fetch('/api/token/exchange', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  }).catch(() => null);
  const token = response?.ok ? (await response.json()).token : null;
  if (typeof token === 'string') enter(token);
}

function enter(token: string): void {
  sessionStorage.setItem(KEY, token);
  entry.value = { kind: 'in', token };
}

/** The token was rotated, or is another worker's. */
export function leave(): void {
  sessionStorage.removeItem(KEY);
  entry.value = { kind: 'out', reason: 'refused' };
}
