// How a new machine of a member gets its token and the key from one that has them: the hub carries two public keys and one sealed text,
// each once, for ten minutes. What they mean is in src/sync/pairing.ts.
import type { PairingHalf } from '../core/shapes/sync.ts';
import { HubError } from './accounts.ts';
import { NO_TENANT, type Tx } from './storage.ts';

const PAIRING_MS = 10 * 60_000;

export async function offerPairing(tx: Tx, { id, offer }: { id: string; offer: PairingHalf }, now: number): Promise<void> {
  await tx.all('DELETE FROM pairings WHERE tenant = $1 AND expires_at < $2', [NO_TENANT, now]);
  const row = [NO_TENANT, id, JSON.stringify(offer), now + PAIRING_MS];
  await tx.all('INSERT INTO pairings (tenant, id, offer, expires_at) VALUES ($1, $2, $3, $4)', row);
}

/** The first answer is the only one: whoever guesses a code has one guess, and the machine that waits notices. */
export async function answerPairing(tx: Tx, id: string, answer: PairingHalf, now: number): Promise<void> {
  const sql = 'UPDATE pairings SET answer = $3 WHERE tenant = $1 AND id = $2 AND answer IS NULL AND expires_at > $4 RETURNING id';
  const rows = await tx.all(sql, [NO_TENANT, id, JSON.stringify(answer), now]);
  if (rows.length === 0) throw new HubError(404, 'This code is unknown, used up or expired.');
}

export async function readPairing(tx: Tx, id: string, now: number) {
  const sql = 'SELECT offer, answer, sealed FROM pairings WHERE tenant = $1 AND id = $2 AND expires_at > $3';
  const [row] = await tx.all(sql, [NO_TENANT, id, now]);
  if (!row) throw new HubError(404, 'This code is unknown, used up or expired.');
  const half = (text: string | number | null | undefined): PairingHalf | null => (text ? JSON.parse(String(text)) : null);
  const offer = half(row.offer);
  if (!offer) throw new HubError(404, 'This code has no offer.');
  // It is gone from here once it was fetched.
  if (row.sealed !== null) await tx.all('DELETE FROM pairings WHERE tenant = $1 AND id = $2', [NO_TENANT, id]);
  return { offer, answer: half(row.answer), sealed: row.sealed === null || row.sealed === undefined ? null : String(row.sealed) };
}

export async function sealPairing(tx: Tx, id: string, sealed: string): Promise<void> {
  await tx.all('UPDATE pairings SET sealed = $3 WHERE tenant = $1 AND id = $2 AND answer IS NOT NULL', [NO_TENANT, id, sealed]);
}

export async function dropPairing(tx: Tx, id: string): Promise<void> {
  await tx.all('DELETE FROM pairings WHERE tenant = $1 AND id = $2', [NO_TENANT, id]);
}
