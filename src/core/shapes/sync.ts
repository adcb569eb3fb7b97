// What a machine and a hub say to each other. A record is one version of one memory, link or tombstone; the hub reads what is around the
// payload, and of a personal space not the payload.
import { z } from 'zod';
import { OBSERVATION_TYPES } from '../observation.ts';

const RECORD_STATES = ['live', 'withdrawn', 'forgotten'] as const;
export type RecordState = (typeof RECORD_STATES)[number];

export const ROLES = ['reader', 'writer', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** What can be given to a team; without a word these two. */
export const PUBLISHED_KINDS = [...OBSERVATION_TYPES, 'rule'] as const;
export const DEFAULT_KINDS: string[] = ['decision', 'rule'];

/** A record of a turn is cut at 64 KB; sealed and with its prompt it stays below. */
export const LONGEST_PAYLOAD = 400_000;
export const MOST_RECORDS = 200;

const name = () => z.string().min(1).max(80);
/** Stands before what its member published: one word, nothing that could be read as more. */
const memberName = () => z.string().regex(/^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,39}$/u, 'must be one word of letters, digits, . _ and -');
/** Of somebody else, and printed as it comes: nothing in it moves a cursor or hides a word. */
const shown = () => z.string().transform((text) => text.replace(/[\p{Cc}\p{Cf}\p{Co}]/gu, ' '));
const id = () => z.string().regex(/^[\w-]{8,64}$/);

export const SyncRecord = z.object({
  id: id(),
  /** The version that it was made from; null for the first. Another one at the hub is a conflict: pull first. */
  base: id().nullable(),
  entity: id(),
  /** Of a personal space: `sealed`. */
  kind: z.string().min(1).max(20),
  /** Counted by the machine, over all its records. */
  seq: z.number().int().min(0),
  /** Hybrid logical clock: see src/sync/state.ts. */
  clock: z.string().regex(/^[0-9a-z]{9}-[0-9a-z]{4}-[\w-]{8,64}$/),
  /** withdrawn: not there for now. forgotten: for good. Neither has words. */
  state: z.enum(RECORD_STATES),
  payload: z.string().max(LONGEST_PAYLOAD).nullable(),
  /** SHA-256 of the payload. */
  hash: z.string().max(64),
});
export type SyncRecord = z.infer<typeof SyncRecord>;

export const PushBody = z.object({ space: id(), records: z.array(SyncRecord).min(1).max(MOST_RECORDS) });
/** conflict: another version is there. forgotten: deleted for good. refused: not yours to change. */
export const PushAnswer = z.object({
  results: z.array(z.object({ id: z.string(), kind: z.enum(['ok', 'conflict', 'forgotten', 'refused']) })),
});
export type PushAnswer = z.infer<typeof PushAnswer>;

export const PulledRecord = SyncRecord.omit({ base: true }).extend({
  pos: z.number().int(),
  device: z.string(),
  /** Who wrote it, as the hub knows them. */
  member: z.string(),
  author: z.string(),
});
export type PulledRecord = z.infer<typeof PulledRecord>;
/** `generation`: another one than before means that the hub has lost something. */
export const PullAnswer = z.object({
  ...{ records: z.array(PulledRecord), head: z.number().int().min(0), hasMore: z.boolean(), generation: z.number() },
});
export type PullAnswer = z.infer<typeof PullAnswer>;

export const PublishedBody = z.object({
  fields: z.object({ words: z.object({ title: z.string().nullish(), narrative: z.string().nullish() }) }),
});
export const SearchAnswer = z.object({
  found: z.array(z.object({ space: z.string(), project: shown(), author: shown(), entity: z.string(), title: shown(), text: z.string() })),
});
export type SearchAnswer = z.infer<typeof SearchAnswer>;

/** That of a folder can be longer than ours. */
const projectName = () => z.string().min(1).max(500);
/** What is known of a project everywhere: its remote or first commit, never a path. */
export const WireProject = z.object({ key: z.string().min(1).max(2200), name: projectName(), firstCommit: z.string().max(64).nullable() });
export type WireProject = z.infer<typeof WireProject>;

export const SpaceInfo = z.object({ id: z.string(), name: shown(), project: WireProject.nullable(), head: z.number() });
export type SpaceInfo = z.infer<typeof SpaceInfo>;
export const MeAnswer = z.object({
  tenant: z.string(),
  team: shown(),
  member: z.string(),
  name: shown(),
  role: z.enum(ROLES),
  device: z.string(),
  personal: z.string(),
  /** How far the personal space and those of the team are. */
  personalHead: z.number(),
  spaces: z.array(SpaceInfo),
});
/** Answered when a space is further than this, or after so many seconds. */
export const WaitBody = z.object({ seen: z.record(z.string().max(64), z.number()), seconds: z.number().min(0).max(60) });
export type MeAnswer = z.infer<typeof MeAnswer>;

export const LoginBody = z.object({ code: z.string().min(1).max(200), device: name() });
export const LoginAnswer = z.object({ token: z.string(), device: z.string() });
export const DeviceBody = z.object({ device: name() });
export const SpaceBody = z.object({ project: WireProject });
export const InviteBody = z.object({ name: memberName(), role: z.enum(ROLES) });
export const InviteAnswer = z.object({ code: shown() });
export const RoleBody = z.object({ role: z.enum(ROLES) });

const Device = z.object({
  id: shown(),
  name: shown(),
  member: z.string(),
  owner: shown(),
  createdAt: z.number(),
  seenAt: z.number().nullable(),
  revokedAt: z.number().nullable(),
  /** The device that let it in; null: an invitation did. */
  addedBy: z.string().nullable(),
});
export const DevicesAnswer = z.object({ devices: z.array(Device) });
export const MembersAnswer = z.object({ members: z.array(z.object({ id: z.string(), name: shown(), role: z.enum(ROLES) })) });
export const AuditAnswer = z.object({
  entries: z.array(z.object({ at: z.number(), actor: shown(), action: shown(), subject: shown() })),
});

/** Both sides' public keys with the code's mac over them, and at the end the sealed account. */
export const PairingHalf = z.object({ key: z.string().max(300), mac: z.string().max(100) });
export const PairingBody = z.object({ id: id(), offer: PairingHalf });
export const SealBody = z.object({ sealed: z.string().max(4000) });
export const PairingAnswer = z.object({ offer: PairingHalf, answer: PairingHalf.nullable(), sealed: z.string().nullable() });
export type PairingHalf = z.infer<typeof PairingHalf>;

export const SyncStatusSchema = z
  .object({
    state: z.enum(['off', 'paused', 'waiting', 'up to date', 'failed']),
    hub: z.string().nullable(),
    name: z.string().nullable(),
    /** Changes here that the hub does not have yet. */
    pending: z.number(),
    /** Since when the oldest of them waits; 0: nothing waits. */
    lagMs: z.number(),
    lastAt: z.number().nullable(),
    error: z.string().nullable(),
    published: z.array(z.object({ space: z.string(), project: z.string(), kinds: z.array(z.string()) })),
  })
  .meta({ id: 'SyncStatus' });
export type SyncStatus = z.infer<typeof SyncStatusSchema>;
