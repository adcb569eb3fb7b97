// The format of an export: a header, then one JSON object for each line. docs/export.md describes it. What is not said
// gets its default: a line may be written by hand.
import { z } from 'zod';
import { authorName, REPLACED_WHY } from '../memory.ts';
import { OBSERVATION_TYPES, ORIGINS, OUTCOMES, TRUST } from '../observation.ts';
import { fields } from './fields.ts';
import { SessionStatusSchema } from './project.ts';

export const EXPORT_VERSION = 1;

/** A longer line is none of ours. */
export const LONGEST_LINE = 4 * 1024 * 1024;
/** A record is cut at 64 KB when it is made. */
const LONGEST_RECORD = 256 * 1024;

/** ISO texts. */
const time = () => z.string().refine((text) => Number.isFinite(Date.parse(text)), 'must be a time');
const words = () => z.string().nullable().default(null);
const wordsIn = <const Names extends readonly string[]>(...names: Names) => fields(words, names);
const texts = () => z.array(z.string()).default([]);
const flag = () => z.boolean().default(false);
const promptNumber = () => z.number().int().min(0).nullable().default(null);
/** A number by which `replaced` lines of this file name a memory; only where there are some. */
const ref = () => z.number().int().min(1).optional();
const place = { session: z.string().min(1).max(500), project: z.string().min(1) };

const Commit = z.object({
  hash: z.string().regex(/^[0-9a-f]{7,64}$/),
  at: time(),
  reverts: words(),
  /** By whoever worked there; null when nobody knows. */
  isOwn: z.boolean().nullable().default(null),
  isRoutine: flag(),
});

const Citation = z.object({
  /** As the memory names it: relative to the work tree where it lies in it. */
  path: z.string().min(1),
  did: z.enum(['changed', 'read']),
  /** Git's hash of its bytes. Null: not known, or the change was not in it any more. Empty: it was not there. */
  blob: words(),
  before: words(),
  /** Short hashes of the lines that the change added and removed; of many some, and one entry for all of them. */
  added: texts(),
  removed: texts(),
});

/** Who announced a step: a list of the agent, the end of its turn, the user, or a model that read the turn. */
const STEP_SOURCES = ['todo', 'closing', 'user', 'model'] as const;
export type StepSource = (typeof STEP_SOURCES)[number];

/** In the order they stand in a file. */
export const LINES = {
  project: z.object({
    kind: z.literal('project'),
    key: z.string().min(1).max(4096),
    name: z.string().min(1).max(500),
    root: z.string().max(4096).default(''),
    remote: words(),
    firstCommit: words(),
    isRenamed: flag(),
    /** Other keys it is known by. */
    aliases: z.array(z.object({ key: z.string().min(1).max(4096), at: time() })).default([]),
    at: time(),
  }),
  session: z.object({
    kind: z.literal('session'),
    ...place,
    host: z.string().min(1).max(100),
    cwd: z.string().default(''),
    root: z.string().default(''),
    ...wordsIn('branch', 'title', 'subtitle', 'firstPrompt'),
    prompts: z.number().int().min(0).default(0),
    status: SessionStatusSchema.default('completed'),
    endReason: words(),
    startedAt: time(),
    updatedAt: time(),
    completedAt: time().nullable().default(null),
  }),
  prompt: z.object({
    kind: z.literal('prompt'),
    ref: ref(),
    session: place.session,
    number: z.number().int().min(0),
    promptId: words(),
    /** Empty for a private one: nothing else is left of it. */
    text: z.string(),
    isPrivate: flag(),
    at: time(),
  }),
  /** The record of the turn that the prompt before it began. */
  turn: z.object({
    kind: z.literal('turn'),
    session: place.session,
    number: z.number().int().min(0),
    ...wordsIn('branch', 'headBefore', 'headAfter'),
    /** Plain text: src/turns/record.ts writes and reads it. */
    record: z.string().max(LONGEST_RECORD),
    /** What it left to do, as far as nothing has ended it. */
    openSteps: z.array(z.object({ text: z.string().max(1000), source: z.enum(STEP_SOURCES) })).default([]),
    startedAt: time(),
    endedAt: time(),
  }),
  observation: z.object({
    kind: z.literal('observation'),
    ref: ref(),
    /** Null for what no session made: a note, a commit, what a member of a team published. */
    session: place.session.nullable().default(null),
    project: place.project,
    author: z.string().transform(authorName).nullable().default(null),
    prompt: promptNumber(),
    type: z.enum(OBSERVATION_TYPES).catch('change'),
    ...wordsIn('title', 'subtitle', 'narrative', 'keywords'),
    facts: z.array(z.object({ text: z.string(), sources: texts() })).default([]),
    concepts: texts(),
    filesRead: texts(),
    filesModified: texts(),
    outcome: z.enum(OUTCOMES).nullable().default(null),
    // Who does not say whose words they are gets no trust for them.
    origin: z.enum(ORIGINS).catch('web'),
    trust: z.number().int().min(0).max(TRUST.user).default(TRUST.web),
    sources: texts(),
    isPinned: flag(),
    isKept: flag(),
    isRule: flag(),
    isQuarantined: flag(),
    wrongAt: time().nullable().default(null),
    editedAt: time().nullable().default(null),
    ...wordsIn('head', 'branch', 'commit'),
    citations: z.array(Citation).default([]),
    errorMarks: texts(),
    commits: z.array(Commit).default([]),
    at: time(),
  }),
  summary: z.object({
    kind: z.literal('summary'),
    ref: ref(),
    ...place,
    prompt: promptNumber(),
    ...wordsIn('request', 'investigated', 'learned', 'completed', 'nextSteps', 'notes'),
    filesRead: texts(),
    filesEdited: texts(),
    at: time(),
  }),
  /** `by` replaces `ref`, or may do so. */
  replaced: z.object({
    kind: z.literal('replaced'),
    ref: z.number().int(),
    by: z.number().int(),
    isCertain: flag(),
    why: z.enum(REPLACED_WHY).catch('older version').default('older version'),
    words: words(),
    madeBy: z.enum(['rules', 'model', 'user']).default('rules'),
    bothHold: flag(),
    /** Null, in a file of 0.1.0: since the newer was there. */
    at: time().nullable().default(null),
  }),
  /** A commit of which no memory is there: left out, or forgotten. It does not come back. */
  commit: Commit.extend({ kind: z.literal('commit'), project: place.project }),
  distrusted: z.object({ kind: z.literal('distrusted'), source: z.string().max(300), at: time() }),
  /** A hash of what was forgotten: it stays forgotten elsewhere, too. */
  forgotten: z.object({
    kind: z.literal('forgotten'),
    what: z.enum(['event', 'session', 'agent', 'text']),
    hash: z.string().min(1).max(500),
    at: time(),
  }),
};

export type LineKind = keyof typeof LINES;
export type Line<Kind extends LineKind> = z.infer<(typeof LINES)[Kind]>;
export type ExportLine = { [Kind in LineKind]: Line<Kind> }[LineKind];

// The keys of an object literal are those of its type.
export const LINE_KINDS = Object.keys(LINES) as LineKind[];

export type ExportCounts = Record<LineKind, number>;
export const noLines = () => Object.fromEntries(LINE_KINDS.map((kind) => [kind, 0])) as ExportCounts;

export const ExportHeader = z.object({
  'claude-mem': z.literal('export'),
  version: z.number().int().min(1),
  at: z.string().default(''),
  project: words(),
  /** Only from then on. Null: from the beginning. */
  since: words(),
  /** The lines that follow: a file with fewer was cut off. 0.1.0 said `superseded` for `replaced`. */
  counts: z.record(z.string(), z.number()).catch({}).default({}),
});
