// Giving memories of a project to a team, and taking them back: only what a person names, by kind, on all of their machines.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { AskError } from '../core/ask-error.ts';
import { formatRef, type MemoryRef } from '../core/memory.ts';
import { readFirstCommit } from '../git/proof.ts';
import { findNamed } from '../projects/place.ts';
import { readAccount } from './account.ts';
import { createHubClient, type Fetch } from './client.ts';
import { findOthers, noteAll } from './log.ts';
import { writeClock, writePublished } from './state.ts';
import { describeProject } from './wire-project.ts';

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
