// The token of this tab: got once for the code in the address, kept in sessionStorage, sent with every request.
import { signal } from '@preact/signals';

const KEY = 'claude-mem-token';

export type Entry =
  /** Whether the code is still good is being asked. */
  | { kind: 'entering' }
  | { kind: 'in'; token: string }
  /** Why not, for the person. */
  | { kind: 'out'; reason: 'none' | 'used' | 'refused' };

export const entry = signal<Entry>(remembered());

function remembered(): Entry {
  const token = sessionStorage.getItem(KEY);
  return token ? { kind: 'in', token } : { kind: 'out', reason: 'none' };
}

/** `#t=CODE` is exchanged once; the code leaves the address and the history at once. */
export async function redeemCode(): Promise<void> {
  const code = /^#t=([\w-]+)$/.exec(location.hash)?.[1];
  if (!code) return;
  history.replaceState(null, '', location.pathname + location.search);
  if (entry.value.kind !== 'in') entry.value = { kind: 'entering' };
  const response = await fetch('/api/token/exchange', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  }).catch(() => null);
  const token = response?.ok ? (await response.json()).token : null;
  if (typeof token === 'string') enter(token);
  else if (entry.value.kind !== 'in') entry.value = { kind: 'out', reason: 'used' };
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
