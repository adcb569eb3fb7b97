// What is replicated besides memories: which of two holds, what was forgotten, whom to block, which projects are one, what a team is
// given; and how a row goes that is withdrawn.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { AskError } from '../core/ask-error.ts';
import { formatRef, MEMORY_TABLES, type MemoryRef, REPLACED_WHY } from '../core/memory.ts';
import { LINES } from '../core/shapes/export.ts';
import { WireProject } from '../core/shapes/sync.ts';
import { readFirstCommit } from '../git/proof.ts';
import { distrust, parseSource } from '../memory/blocked.ts';
import { putReplacement } from '../memory/replacements.ts';
import { addAlias } from '../projects/keys.ts';
import { mergeProjects } from '../projects/merge.ts';
import { findNamed } from '../projects/place.ts';
import { findProject, GLOBAL_KEY } from '../projects/projects.ts';
import { exists, readValue } from '../store/read.ts';
import { bury, exhume } from '../store/tombstones.ts';
import { dropRecord } from '../turns/turns.ts';
import { createHubClient, type Fetch } from './client.ts';
import type { RecordKind } from './entities.ts';
import { findLogged, findOthers, type LogRow, noteAll } from './log.ts';
import { readAccount, readPublished, writeClock, writePublished } from './state.ts';
import { describeProject, isOfProject, placeProject } from './wire-project.ts';

const MEMORY_KIND: Partial<Record<RecordKind, MemoryRef['kind']>> = { observation: 'observation', summary: 'summary', turn: 'prompt' };

/** The memory that it is here. */
export function refOf({ kind, ref }: Pick<LogRow, 'kind' | 'ref'>): MemoryRef | null {
  const memory = MEMORY_KIND[kind];
  return memory && ref !== '' ? { kind: memory, id: Number(ref) } : null;
}

export type Applied = { ref: string; isForgotten?: boolean; waiting?: string };
const Tombstone = LINES.forgotten.pick({ what: true, hash: true });
const Blocked = z.object({ source: z.string().max(300) });
const Alias = z.object({ key: z.string().min(1).max(4096), project: WireProject });
const PublishedWords = z.object({ space: z.string().max(64), project: WireProject, kinds: z.array(z.string().max(40)).max(40) });

export function addLink(
  db: Database,
  { space, kind, words, now }: { space: string; kind: RecordKind; words: unknown; now: number },
): Applied {
  if (kind === 'tombstone') {
    const { what, hash } = Tombstone.parse(words);
    bury(db, what, hash, now);
    return { ref: `${what}:${hash}` };
  }
  if (kind === 'blocked') {
    const source = parseSource(Blocked.parse(words).source);
    if (source) distrust(db, source, now);
    return { ref: source ?? '' };
  }
  if (kind === 'alias') return addKnownAlias(db, Alias.parse(words), now);
  if (kind === 'published') {
    const { space: team, ...published } = PublishedWords.parse(words);
    writePublished(db, team, published);
    notePublished(db, published.project);
    return { ref: team };
  }
  return addReplaced(db, space, words);
}

/** What there is of it here is looked at again: it goes to the team, or does so no longer. */
function notePublished(db: Database, project: WireProject): void {
  const all = db.query<{ id: number }, []>('SELECT id FROM projects').all();
  for (const { id } of all) if (isOfProject(db, id, project)) noteAll(db, id);
}

/** A person has said elsewhere that two are one. */
function addKnownAlias(db: Database, { key, project: wire }: z.infer<typeof Alias>, now: number): Applied {
  const into = placeProject(db, wire, now);
  const known = findProject(db, key);
  if (known === null) addAlias(db, key, into.id, now);
  else if (known.id !== into.id && known.key === key && key !== GLOBAL_KEY && into.key !== GLOBAL_KEY)
    mergeProjects(db, { from: known, into }, now);
  return { ref: key };
}

const Replaced = z.object({
  ...{ older: z.string(), newer: z.string(), isCertain: z.boolean(), bothHold: z.boolean(), at: z.number() },
  ...{ why: z.enum(REPLACED_WHY).catch('older version'), madeBy: z.enum(['rules', 'model', 'user']).catch('rules') },
});

export function addReplaced(db: Database, space: string, words: unknown): Applied {
  const { older, newer, bothHold, ...said } = Replaced.parse(words);
  const [one, other] = [older, newer].map((entity) => findLogged(db, space, entity)).map((row) => row && refOf(row));
  if (!one || !other || other.kind === 'summary' || ![one, other].every((ref) => isRow(db, ref)))
    return { ref: '', waiting: JSON.stringify(words) };
  putReplacement(db, { ...said, words: null, older: one, newer: other }, bothHold);
  const sql = 'SELECT id FROM replacements WHERE older_kind = ? AND older_id = ? AND newer_kind = ? AND newer_id = ?';
  return { ref: String(readValue<number>(db, sql, one.kind, one.id, other.kind, other.id) ?? '') };
}

export const isRow = (db: Database, ref: MemoryRef | null): boolean =>
  ref !== null && exists(db, `SELECT 1 FROM ${MEMORY_TABLES[ref.kind]} WHERE id = ?`, ref.id);

/** It is not there for now; it may come again. */
export function removeHere(db: Database, { kind, ref }: LogRow): void {
  if (ref === '') return;
  if (kind === 'observation') db.query('DELETE FROM observations WHERE id = ?').run(Number(ref));
  else if (kind === 'summary') db.query('DELETE FROM summaries WHERE id = ?').run(Number(ref));
  else if (kind === 'replaced') db.query('DELETE FROM replacements WHERE id = ?').run(Number(ref));
  else if (kind === 'blocked') db.query('DELETE FROM distrusted WHERE source = ?').run(ref);
  else if (kind === 'tombstone') exhume(db, ...splitTombstone(ref));
  else if (kind === 'turn') removeTurn(db, Number(ref));
  else if (kind === 'published') removePublished(db, ref);
}

function removePublished(db: Database, space: string): void {
  const published = readPublished(db).get(space);
  writePublished(db, space, null);
  if (published) notePublished(db, published.project);
}

function splitTombstone(ref: string): ['event' | 'session' | 'agent' | 'text', string] {
  const [what, hash = ''] = ref.split(/:(.*)/s);
  return [Tombstone.shape.what.parse(what), hash];
}

function removeTurn(db: Database, id: number): void {
  const turn = db
    .query<{ sessionId: number; promptNumber: number }, [number]>(
      'SELECT session_id AS sessionId, prompt_number AS promptNumber FROM prompts WHERE id = ?',
    )
    .get(id);
  if (turn) dropRecord(db, turn);
}

// Giving memories of a project to a team, and taking them back: only what a person names, by kind, on all of their machines.

type PublishDeps = { db: Database; path: string; fetch?: Fetch };

/** No kinds: nothing more, and what was given is withdrawn. The name of the project, and what is published of it now. */
export async function publishProject({ db, path, fetch }: PublishDeps, named: string, kinds: string[]) {
  const account = readAccount(path);
  if (!account) throw new AskError('conflict', 'This machine has no hub.', 'Run `claude-mem sync login`.');
  const project = findNamed(db, named);
  await learnFirstCommit(db, project);
  const wire = describeProject(db, project.id);
  const noHistory = `${project.name} has no git history by which others could know it.`;
  if (!wire || project.key === '*' || wire.firstCommit === null || wire.key.startsWith('folder:'))
    throw new AskError('conflict', noHistory, 'Only a repository can be published.');
  const client = createHubClient({ ...account, fetch });
  const { id } = await client.call('POST', 'spaces', z.object({ id: z.string() }), { project: wire });
  db.transaction(() => {
    writePublished(db, id, kinds.length > 0 ? { project: wire, kinds } : null);
    noteAll(db, project.id);
  }).immediate();
  return { project: project.name, space: id, kinds };
}

/** By it others know the project; the worker may not have looked yet. */
async function learnFirstCommit(db: Database, { id, root }: { id: number; root: string }): Promise<void> {
  const first = root === '' ? null : await readFirstCommit(root);
  if (first !== null) db.query('UPDATE projects SET first_commit = coalesce(first_commit, ?) WHERE id = ?').run(first, id);
}

/** An admin deletes for everybody what a member published. Their own memory stays theirs. */
export async function takeDown({ db, path, fetch, now }: PublishDeps & { now: number }, ref: MemoryRef) {
  const account = readAccount(path);
  const row = ref.kind === 'observation' ? findOthers(db, String(ref.id)) : null;
  if (!account || !row)
    throw new AskError(
      'unknown',
      'Nobody of your team published this.',
      'What you published yourself: claude-mem forget, or team unpublish.',
    );
  const client = createHubClient({ ...account, fetch });
  const { space, entity, kind, record, author } = row;
  const gone = { id: Bun.randomUUIDv7(), base: record, entity, kind, seq: 0, state: 'forgotten' as const, payload: null };
  const hash = new Bun.CryptoHasher('sha256').update('').digest('hex');
  const { results } = await client.push(space, [{ ...gone, hash, clock: writeClock(now, 0, account.device) }]);
  if (results[0]?.kind === 'refused') throw new AskError('conflict', `Only an admin deletes what ${author} published.`, 'Ask one of them.');
  return { id: formatRef(ref), author: author ?? '' };
}
