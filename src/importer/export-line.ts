// One line of an export, read and checked. What is not said gets its default: a line may be written by hand.
import { z } from 'zod';
import {
  EXPORT_VERSION,
  type ExportHeader,
  type ExportLine,
  LINE_KINDS,
  noLines,
  STEP_SOURCES,
} from '../core/export.ts';
import { REPLACED_WHY } from '../core/memory.ts';
import { OBSERVATION_TYPES, ORIGINS, OUTCOMES } from '../core/observation.ts';
import { TRUST } from '../core/trust.ts';

export type ReadLine =
  | { kind: 'header'; header: ExportHeader }
  /** Of a later version: nobody here knows what its lines mean. */
  | { kind: 'newer'; version: number }
  | { kind: 'line'; line: ExportLine }
  | { kind: 'empty' }
  | { kind: 'bad'; reason: string };

export function readExportLine(text: string): ReadLine {
  if (text.trim() === '') return { kind: 'empty' };
  const value = asToday(parseJson(text.replace(/^\uFEFF/, '')));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { kind: 'bad', reason: 'it is not a JSON object' };
  if ('claude-mem' in value) return readHeader(value);
  const kind = 'kind' in value ? value.kind : undefined;
  const known = LINE_KINDS.find((name) => name === kind);
  if (!known) return { kind: 'bad', reason: `its kind is none of ${LINE_KINDS.join(', ')}` };
  const read = SCHEMAS[known].safeParse(value);
  if (read.success) return { kind: 'line', line: read.data };
  const [issue] = read.error.issues;
  return { kind: 'bad', reason: `${issue?.path.join('.') || known}: ${issue?.message ?? 'not valid'}` };
}

/** 0.1.0 said `superseded`, and neither why nor since when. */
const asToday = (value: unknown) =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'superseded'
    ? { ...value, kind: 'replaced', isCertain: true }
    : value;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Damaged, or of something else: the caller counts it.
    return null;
  }
}

/** A record is cut at 64 KB when it is made. */
const LONGEST_RECORD = 256 * 1024;
const time = () => z.string().refine((text) => Number.isFinite(Date.parse(text)), 'must be a time');
const words = () => z.string().nullable().default(null);
const texts = () => z.array(z.string()).default([]);
const place = { session: z.string().min(1).max(500), project: z.string().min(1) };
const promptNumber = () => z.number().int().min(0).nullable().default(null);

const Commit = z.object({
  hash: z.string().regex(/^[0-9a-f]{7,64}$/),
  at: time(),
  reverts: words(),
  isOwn: z.boolean().nullable().default(null),
  isRoutine: z.boolean().default(false),
});

const Citation = z.object({
  path: z.string().min(1),
  did: z.enum(['changed', 'read']),
  blob: words(),
  before: words(),
  added: texts(),
  removed: texts(),
});

const ref = () => z.number().int().min(1).optional();

const Observation = z.object({
  kind: z.literal('observation'),
  ref: ref(),
  ...place,
  prompt: promptNumber(),
  type: z.enum(OBSERVATION_TYPES).catch('change'),
  title: words(),
  subtitle: words(),
  narrative: words(),
  facts: z.array(z.object({ text: z.string(), sources: texts() })).default([]),
  concepts: texts(),
  filesRead: texts(),
  filesModified: texts(),
  outcome: z.enum(OUTCOMES).nullable().default(null),
  // Who does not say whose words they are gets no trust for them.
  origin: z.enum(ORIGINS).catch('web'),
  trust: z.number().int().min(0).max(TRUST.user).default(TRUST.web),
  sources: texts(),
  isPinned: z.boolean().default(false),
  isKept: z.boolean().default(false),
  isRule: z.boolean().default(false),
  isQuarantined: z.boolean().default(false),
  wrongAt: time().nullable().default(null),
  editedAt: time().nullable().default(null),
  head: words(),
  branch: words(),
  commit: words(),
  citations: z.array(Citation).default([]),
  errorMarks: texts(),
  commits: z.array(Commit).default([]),
  at: time(),
});

const Session = z.object({
  kind: z.literal('session'),
  ...place,
  host: z.string().min(1).max(100),
  cwd: z.string().default(''),
  root: z.string().default(''),
  branch: words(),
  title: words(),
  subtitle: words(),
  firstPrompt: words(),
  prompts: z.number().int().min(0).default(0),
  status: z.enum(['initialized', 'active', 'summarizing', 'completed', 'interrupted', 'failed']).default('completed'),
  endReason: words(),
  startedAt: time(),
  updatedAt: time(),
  completedAt: time().nullable().default(null),
});

const SCHEMAS: Record<(typeof LINE_KINDS)[number], z.ZodType<ExportLine>> = {
  project: z.object({
    kind: z.literal('project'),
    key: z.string().min(1).max(4096),
    name: z.string().min(1).max(500),
    root: z.string().max(4096).default(''),
    remote: words(),
    firstCommit: words(),
    isRenamed: z.boolean().default(false),
    aliases: z.array(z.object({ key: z.string().min(1).max(4096), at: time() })).default([]),
    at: time(),
  }),
  session: Session,
  prompt: z.object({
    kind: z.literal('prompt'),
    ref: ref(),
    session: place.session,
    number: z.number().int().min(0),
    promptId: words(),
    text: z.string(),
    isPrivate: z.boolean().default(false),
    at: time(),
  }),
  turn: z.object({
    kind: z.literal('turn'),
    session: place.session,
    number: z.number().int().min(0),
    branch: words(),
    headBefore: words(),
    headAfter: words(),
    record: z.string().max(LONGEST_RECORD),
    openSteps: z.array(z.object({ text: z.string().max(1000), source: z.enum(STEP_SOURCES) })).default([]),
    startedAt: time(),
    endedAt: time(),
  }),
  observation: Observation,
  summary: z.object({
    kind: z.literal('summary'),
    ref: ref(),
    ...place,
    prompt: promptNumber(),
    request: words(),
    investigated: words(),
    learned: words(),
    completed: words(),
    nextSteps: words(),
    notes: words(),
    filesRead: texts(),
    filesEdited: texts(),
    at: time(),
  }),
  replaced: z.object({
    kind: z.literal('replaced'),
    ref: z.number().int(),
    by: z.number().int(),
    isCertain: z.boolean().default(false),
    why: z.enum(REPLACED_WHY).catch('older version').default('older version'),
    words: words(),
    madeBy: z.enum(['rules', 'model', 'user']).default('rules'),
    bothHold: z.boolean().default(false),
    at: time().nullable().default(null),
  }),
  commit: Commit.extend({ kind: z.literal('commit'), project: place.project }),
  distrusted: z.object({ kind: z.literal('distrusted'), source: z.string().max(300), at: time() }),
  forgotten: z.object({
    kind: z.literal('forgotten'),
    what: z.enum(['event', 'session', 'agent', 'text']),
    hash: z.string().min(1).max(500),
    at: time(),
  }),
};

const Header = z.object({
  'claude-mem': z.literal('export'),
  version: z.number().int().min(1),
  at: z.string().default(''),
  project: words(),
  since: words(),
  counts: z.record(z.string(), z.number()).catch({}).default({}),
});

function readHeader(value: object): ReadLine {
  const read = Header.safeParse(value);
  if (!read.success) return { kind: 'bad', reason: 'it is not a header of an export' };
  const { version, counts, ...header } = read.data;
  if (version > EXPORT_VERSION) return { kind: 'newer', version };
  const replaced = (counts.replaced ?? 0) + (counts.superseded ?? 0);
  return { kind: 'header', header: { ...header, version, counts: { ...noLines(), ...counts, replaced } } };
}
