// Who may do what: teams (tenants), members with a role, their devices with a token each, invitations, and the audit log. Secrets are kept
// as hashes: a copy of the database opens nothing.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { z } from 'zod';
import type { AuditAnswer, DevicesAnswer, PairingHalf, Role } from '../core/shapes/sync.ts';
import { NO_TENANT, type Storage, type Tx } from './storage.ts';

export class HubError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.name = 'HubError';
    this.status = status;
  }
}

/** Who asks, as every request proves it again: what was revoked meanwhile is refused at once. */
export type Caller = { tenant: string; team: string; member: string; name: string; role: Role; device: string; seenAt: number };

const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const randomWord = (length: number) => [...randomBytes(length)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
/** High-entropy secrets need no slow hash. */
const hashSecret = (secret: string) => createHash('sha256').update(secret).digest('hex');
const INVITE_MS = 7 * 86_400_000;

export const personalSpace = (member: string) => `own-${member}`;

/**
 * A new team with its first admin, for whoever runs the hub. The code is for that admin's `sync login`. Of a team that is there, the same
 * for one of its members: who is alone and lost all machines has nobody else to ask.
 */
export async function createTeam(storage: Storage, { team, admin }: { team: string; admin: string }, now: number): Promise<string> {
  const tenant = nameTenant(team);
  return storage.inTenant(tenant, async (tx) => {
    const sql = 'INSERT INTO tenants (tenant, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING tenant';
    const isNew = (await tx.all(sql, [tenant, team, now])).length > 0;
    if (!isNew && !(await findMember(tx, tenant, admin)))
      throw new HubError(409, `There is a team ${team}, and ${admin} is no member of it. Its admin invites members.`);
    return invite(tx, { tenant, actor: 'hub' }, { name: admin, role: 'admin' }, now);
  });
}

/** By its name a team is found again. It is no secret: what opens something stands behind it. */
const nameTenant = (team: string) =>
  [...createHash('sha256').update(team.trim().toLowerCase()).digest().subarray(0, 12)]
    .map((byte) => ALPHABET[byte % ALPHABET.length])
    .join('');

type Acting = { tenant: string; actor: string };

/** One login, within a week; of a member who is there already as whom they are, for whoever lost all machines. */
export async function invite(
  tx: Tx,
  { tenant, actor }: Acting,
  { name, role }: { name: string; role: Role },
  now: number,
): Promise<string> {
  const known = await findMember(tx, tenant, name);
  const member = known ?? (await addMember(tx, tenant, { name, role }, now));
  const secret = randomWord(24);
  const row = [tenant, hashSecret(secret), member, now + INVITE_MS];
  await tx.all('INSERT INTO invites (tenant, code_hash, member, expires_at) VALUES ($1, $2, $3, $4)', row);
  await note(tx, { tenant, actor }, 'invite', known ? `${name} again` : `${name} as ${role}`, now);
  return `${tenant}-${secret}`;
}

async function findMember(tx: Tx, tenant: string, name: string): Promise<string | null> {
  const sql = 'SELECT id FROM members WHERE tenant = $1 AND name = $2 AND removed_at IS NULL';
  return (await tx.all<{ id: string }>(sql, [tenant, name]))[0]?.id ?? null;
}

async function addMember(tx: Tx, tenant: string, { name, role }: { name: string; role: Role }, now: number): Promise<string> {
  const member = randomWord(10);
  const row = [tenant, member, name, role, now];
  const added = await tx.all(
    'INSERT INTO members (tenant, id, name, role, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING id',
    row,
  );
  // What a member who left has published still carries the name.
  if (added.length === 0) throw new HubError(409, `Somebody who left was called ${name}. Choose another name.`);
  const space = [tenant, personalSpace(member), member, 'personal'];
  await tx.all('INSERT INTO spaces (tenant, id, owner, name) VALUES ($1, $2, $3, $4)', space);
  return member;
}

/** The token of a new device; the code is used up. */
export async function login(storage: Storage, { code, device }: { code: string; device: string }, now: number) {
  const [, tenant, secret] = /^([a-z\d]+)-([a-z\d]+)$/.exec(code.trim().toLowerCase()) ?? [];
  if (!tenant || !secret) throw new HubError(403, 'This is no invitation.');
  return storage.inTenant(tenant, async (tx) => {
    const sql = 'DELETE FROM invites WHERE tenant = $1 AND code_hash = $2 RETURNING member, expires_at AS "expiresAt"';
    const [row] = await tx.all<{ member: string; expiresAt: number }>(sql, [tenant, hashSecret(secret)]);
    if (!row || row.expiresAt < now) throw new HubError(403, 'This invitation is unknown, used up or expired.');
    return addDevice(tx, { tenant, member: row.member, name: device, addedBy: null }, now);
  });
}

type NewDevice = { tenant: string; member: string; name: string; addedBy: string | null };

export async function addDevice(tx: Tx, { tenant, member, name, addedBy }: NewDevice, now: number) {
  const [device, secret] = [randomWord(12), randomWord(40)];
  const row = [tenant, device, member, name, hashSecret(secret), now, addedBy];
  const sql = 'INSERT INTO devices (tenant, id, member, name, secret_hash, created_at, added_by) VALUES ($1, $2, $3, $4, $5, $6, $7)';
  await tx.all(sql, row);
  const [who] = await tx.all<{ actor: string }>('SELECT name AS actor FROM members WHERE tenant = $1 AND id = $2', [tenant, member]);
  await note(tx, { tenant, actor: '', ...who }, 'login', name, now);
  return { token: `${tenant}-${device}-${secret}`, device };
}

/** So often it is written down when a device was last seen. */
const SEEN_MS = 60_000;

/** Apart from what the device asks for: a hub whose disk is full still answers. */
export async function noteSeen(storage: Storage, { tenant, device, seenAt }: Caller, now: number): Promise<void> {
  if (seenAt >= now - SEEN_MS) return;
  await storage.inTenant(tenant, (tx) => tx.all('UPDATE devices SET seen_at = $3 WHERE tenant = $1 AND id = $2', [tenant, device, now]));
}

/** In the same transaction as what it may do then. */
export async function authenticate(tx: Tx, token: string): Promise<Caller> {
  const [tenant = '', device = '', secret = ''] = token.split('-');
  const [row] = await tx.all<Omit<Caller, 'tenant' | 'device'> & { hash: string }>(
    `SELECT d.secret_hash AS hash, coalesce(d.seen_at, 0) AS "seenAt", m.id AS member, m.name, m.role, t.name AS team FROM devices d
     JOIN members m ON m.tenant = d.tenant AND m.id = d.member JOIN tenants t ON t.tenant = d.tenant
     WHERE d.tenant = $1 AND d.id = $2 AND d.revoked_at IS NULL AND m.removed_at IS NULL`,
    [tenant, device],
  );
  if (!row || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hashSecret(secret))))
    throw new HubError(401, 'This device is not known, or was revoked. Run `claude-mem sync login`.');
  const { hash: _, ...caller } = row;
  return { tenant, device, ...caller };
}

export const tenantOf = (token: string) => token.split('-', 1)[0] ?? '';

export function requireRole({ role }: Caller, ...allowed: Role[]): void {
  if (!allowed.includes(role)) throw new HubError(403, `A ${role} may not do this; it takes ${allowed.join(' or ')}.`);
}

export async function listDevices(tx: Tx, { tenant, member, role }: Caller) {
  return tx.all<z.infer<typeof DevicesAnswer>['devices'][number]>(
    `SELECT d.id, d.name, d.member, m.name AS owner, d.created_at AS "createdAt", d.seen_at AS "seenAt", d.revoked_at AS "revokedAt",
       d.added_by AS "addedBy" FROM devices d
     JOIN members m ON m.tenant = d.tenant AND m.id = d.member WHERE d.tenant = $1 AND ($3 = 1 OR d.member = $2) ORDER BY d.created_at`,
    [tenant, member, Number(role === 'admin')],
  );
}

/** One's own; an admin any. */
export async function revokeDevice(tx: Tx, caller: Caller, id: string, now: number): Promise<void> {
  const device = (await listDevices(tx, caller)).find((one) => one.id === id);
  if (!device) throw new HubError(404, 'There is no such device.');
  await tx.all('UPDATE devices SET revoked_at = coalesce(revoked_at, $3) WHERE tenant = $1 AND id = $2', [caller.tenant, id, now]);
  await note(tx, asActor(caller), 'revoke', `${device.owner}: ${device.name}`, now);
}

export const listMembers = (tx: Tx, { tenant }: Caller) =>
  tx.all<{ id: string; name: string; role: Role }>(
    'SELECT id, name, role FROM members WHERE tenant = $1 AND removed_at IS NULL ORDER BY name',
    [tenant],
  );

/** Null: out of the team, with all devices. The last admin stays. */
export async function changeMember(tx: Tx, caller: Caller, named: string, role: Role | null, now: number): Promise<void> {
  requireRole(caller, 'admin');
  const { tenant } = caller;
  const members = await listMembers(tx, caller);
  const member = members.find(({ id, name }) => id === named || name === named);
  if (!member) throw new HubError(404, `There is no member ${named}.`);
  const isLastAdmin = member.role === 'admin' && members.filter((one) => one.role === 'admin').length === 1;
  if (isLastAdmin && role !== 'admin') throw new HubError(409, 'A team needs an admin: make somebody else one first.');
  if (role) await tx.all('UPDATE members SET role = $3 WHERE tenant = $1 AND id = $2', [tenant, member.id, role]);
  else await tx.all('UPDATE members SET removed_at = $3 WHERE tenant = $1 AND id = $2', [tenant, member.id, now]);
  if (!role) await tx.all('DELETE FROM invites WHERE tenant = $1 AND member = $2', [tenant, member.id]);
  await note(tx, asActor(caller), role ? 'role' : 'remove', role ? `${member.name} is ${role}` : member.name, now);
}

const asActor = ({ tenant, name }: Caller): Acting => ({ tenant, actor: name });

export async function note(tx: Tx, { tenant, actor }: Acting, action: string, subject: string, now: number): Promise<void> {
  const row = [tenant, Bun.randomUUIDv7(), now, actor, action, subject];
  await tx.all('INSERT INTO audit (tenant, id, at, actor, action, subject) VALUES ($1, $2, $3, $4, $5, $6)', row);
}

const LISTED = 200;

export async function readAudit(tx: Tx, caller: Caller) {
  requireRole(caller, 'admin');
  const sql = `SELECT at, actor, action, subject FROM audit WHERE tenant = $1 ORDER BY at DESC, id DESC LIMIT ${LISTED}`;
  return tx.all<z.infer<typeof AuditAnswer>['entries'][number]>(sql, [caller.tenant]);
}

// How a new machine of a member gets its token and the key from one that has them: the hub carries two public keys and one sealed text,
// each once, for ten minutes. What they mean is in src/sync/pairing.ts.

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
  const [row] = await tx.all<{ offer: string; answer: string | null; sealed: string | null }>(sql, [NO_TENANT, id, now]);
  if (!row) throw new HubError(404, 'This code is unknown, used up or expired.');
  // It is gone from here once it was fetched.
  if (row.sealed !== null) await tx.all('DELETE FROM pairings WHERE tenant = $1 AND id = $2', [NO_TENANT, id]);
  return { offer: JSON.parse(row.offer), answer: JSON.parse(row.answer ?? 'null'), sealed: row.sealed };
}

export async function sealPairing(tx: Tx, id: string, sealed: string): Promise<void> {
  await tx.all('UPDATE pairings SET sealed = $3 WHERE tenant = $1 AND id = $2 AND answer IS NOT NULL', [NO_TENANT, id, sealed]);
}

export async function dropPairing(tx: Tx, id: string): Promise<void> {
  await tx.all('DELETE FROM pairings WHERE tenant = $1 AND id = $2', [NO_TENANT, id]);
}
