// Anna and ben of one team, who have both cloned the same project; anna is its admin and publishes.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { ensureSession } from '../../src/capture/sessions.ts';
import { findProject } from '../../src/projects/projects.ts';
import { createHubClient } from '../../src/sync/client.ts';
import { noteAll } from '../../src/sync/log.ts';
import { writePublished } from '../../src/sync/state.ts';
import { fetchHub, HUB_URL, loginWith, type Machine, openMachine, openWorld, say } from './machines.ts';

export const PROJECT = { key: 'example.org/shop', name: 'shop', root: '', remote: null };
export const WIRE = { key: 'example.org/shop', name: 'shop', firstCommit: 'a'.repeat(40) };

export async function openTeam() {
  const world = await openWorld();
  const fetch = fetchHub(world.hub);
  const now = () => ++world.time.now;
  const anna = await loginWith(fetch, world.admin, 'annas');
  const client = createHubClient({ hub: HUB_URL, token: anna.token, fetch });
  const { code } = await client.call('POST', 'invites', z.object({ code: z.string() }), { name: 'ben', role: 'writer' });
  const ben = await loginWith(fetch, code, 'bens');
  const { id: space } = await client.call('POST', 'spaces', z.object({ id: z.string() }), { project: WIRE });
  const a = await openMachine('annas', anna, { fetch, now });
  const b = await openMachine('bens', ben, { fetch, now });
  // Both have cloned it: the history is known.
  for (const machine of [a, b]) {
    say(machine, `A first note of ${machine.name}, which makes the project known`, PROJECT);
    machine.db.run('UPDATE projects SET first_commit = ?', [WIRE.firstCommit]);
  }
  publish(a, space);
  const both = async () => {
    for (const machine of [a, b, a, b]) await machine.sync.round();
  };
  const as = ({ account }: Machine) => createHubClient({ hub: HUB_URL, token: account.token, fetch });
  return { ...world, fetch, a, b, both, space, as };
}

/** As `claude-mem team publish` does; without kinds `unpublish`. */
export const publish = ({ db }: Pick<Machine, 'db'>, space: string, kinds = ['decision', 'rule']) =>
  db
    .transaction(() => {
      writePublished(db, space, kinds.length > 0 ? { project: WIRE, kinds } : null);
      noteAll(db, findProject(db, PROJECT.key)?.id ?? 0);
    })
    .immediate();

/** In which somebody here has worked. */
export const openSession = (db: Database): number => {
  const projectId = findProject(db, PROJECT.key)?.id ?? 0;
  const place = { cwd: '/work/shop', root: '/work/shop', branch: null };
  return ensureSession(db, { host: 'claude-code', hostSessionId: 'worked-here', projectId, ...place, at: 1 }).id;
};

export const listTitles = ({ db }: Machine) =>
  db
    .query<{ title: string; origin: string; trust: number; rule: number; pinned: number; author: string | null; project: string }, []>(
      `SELECT o.title, o.origin, o.trust, o.is_rule AS rule, o.pinned, o.author, p.key AS project FROM observations o
       JOIN projects p ON p.id = o.project_id WHERE o.title NOT LIKE 'A first note%' ORDER BY o.title`,
    )
    .all();
