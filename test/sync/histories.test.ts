// Three machines, random histories: partitions, clocks an hour off, lost answers, duplicates, late deliveries and crashes. All end with the
// same memories, and what was forgotten stays forgotten.
import { expect, test } from 'bun:test';
import { z } from 'zod';
import { createHubClient } from '../../src/sync/client.ts';
import type { Account } from '../../src/sync/state.ts';
import {
  addMachine,
  countPendingOf,
  fetchHub,
  HUB_URL,
  loginWith,
  openMachine,
  openWorld,
  PROJECT,
  project,
  say,
  type World,
} from './machines.ts';
import { createDice, createLine, type Dice, ENTRY, MOVES, type Player } from './play.ts';
import { publish, WIRE } from './team.ts';

const HISTORIES = process.env.CLAUDE_MEM_TEST_FULL ? 1000 : 60;
const TEAM_HISTORIES = process.env.CLAUDE_MEM_TEST_FULL ? 200 : 15;
const STEPS = 60;
const HOUR_MS = 3_600_000;

async function playHistory(seed: number) {
  const dice = createDice(seed);
  const world = await openWorld();
  const direct = fetchHub(world.hub);
  const first = await loginWith(direct, world.admin, 'one');
  const accounts = [first, await addMachine(direct, first, 'two'), await addMachine(direct, first, 'three')];
  const players = await openPlayers(world, dice, accounts);
  return { players, world, ledger: await play(players, world, dice) };
}

async function openPlayers(world: World, dice: Dice, accounts: Account[]): Promise<Player[]> {
  const players: Player[] = [];
  for (const [at, account] of accounts.entries()) {
    const { line, fetch } = createLine(world, dice);
    const skew = (dice.next() * 2 - 1) * HOUR_MS;
    // Dies where it just has heard from the hub, or between two batches.
    const rest = async () => {
      if (line.isFaulty && dice.chance(0.05)) throw new Error('killed');
    };
    const policy = { isSent: true, withTurns: false };
    const now = () => Math.floor(world.time.now + skew);
    players.push({ ...(await openMachine(`m${at}`, account, { fetch, now, rest, policy: () => policy })), line, policy });
  }
  return players;
}

async function play(players: Player[], world: World, dice: Dice, ledger: [string, string][] = []) {
  for (let step = 0; step < STEPS; step++) {
    world.time.now += Math.floor(dice.next() * 60_000);
    const player = dice.pick(players);
    if (!player) continue;
    if (dice.chance(0.6)) await dice.pick(MOVES)?.(player, dice, ledger);
    else await player.sync.round().catch(async () => void (dice.chance(0.3) && (await player.restart())));
  }
  return ledger;
}

/** Until nobody has anything to say; more rounds than that are a quarrel. */
async function settle(players: Player[], world: World): Promise<number> {
  for (const { line, policy } of players) {
    Object.assign(line, { isCut: false, isFaulty: false });
    policy.isSent = true;
  }
  for (let round = 1; round <= 12; round++) {
    world.time.now += 60_000;
    for (const player of players) await player.sync.round();
    const pending = await Promise.all(players.map(countPendingOf));
    if (pending.every((n) => n === 0) && round > 2) return round;
  }
  return Number.POSITIVE_INFINITY;
}

/** What a person said and nobody took away is on each of their machines, once. */
const listEntries = ({ db }: Player) =>
  db
    .query<{ title: string }, [string]>('SELECT title FROM observations WHERE hidden_at IS NULL AND author IS NULL AND title LIKE ?')
    .all(ENTRY)
    .map(({ title }) => title)
    .sort();
function expectLedger(seed: number, players: Player[], ledger: [string, string][]): void {
  for (const player of players) {
    const said = ledger.flatMap(([by, entry]) => (by === player.account.name ? [entry] : []));
    expect({ seed, by: player.name, has: listEntries(player) }).toEqual({ seed, by: player.name, has: said.sort() });
  }
}

/** No entity that is forgotten anywhere is there anywhere. */
function listUndead(players: Player[]): unknown[] {
  return players.flatMap(({ db, name }) =>
    db
      .query<{ entity: string }, []>("SELECT entity FROM sync_records WHERE state = 'forgotten'")
      .all()
      .flatMap(({ entity }) =>
        players.flatMap((other) =>
          other.db
            .query("SELECT entity FROM sync_records WHERE entity = ? AND state <> 'forgotten'")
            .all(entity)
            .map(() => ({ entity, by: name, at: other.name })),
        ),
      ),
  );
}

test(`${HISTORIES} random histories of three machines converge`, async () => {
  const from = Number(process.env.CLAUDE_MEM_TEST_SEED ?? 1);
  for (let seed = from; seed < from + HISTORIES; seed++) {
    const { players, world, ledger } = await playHistory(seed);
    const rounds = await settle(players, world);
    const [one, ...others] = players.map(project);
    for (const [at, other] of others.entries()) expect({ seed, at, ...(other as object) }).toEqual({ seed, at, ...(one as object) });
    expect({ seed, rounds: Number.isFinite(rounds) }).toEqual({ seed, rounds: true });
    expectLedger(seed, players, ledger);
    expect({ seed, undead: listUndead(players) }).toEqual({ seed, undead: [] });
    for (const { db } of players) db.close();
    await world.storage.close();
  }
}, 1_800_000);

/** Anna on two machines and ben: both publish, and take the whole project back now and then. */
async function playTeam(seed: number) {
  const dice = createDice(seed);
  const world = await openWorld();
  const direct = fetchHub(world.hub);
  const anna = await loginWith(direct, world.admin, 'one');
  const client = createHubClient({ hub: HUB_URL, token: anna.token, fetch: direct });
  const { code } = await client.invite('ben', 'writer');
  const accounts = [anna, await addMachine(direct, anna, 'two'), await loginWith(direct, code, 'bens')];
  const { id: space } = await client.call('POST', 'spaces', z.object({ id: z.string() }), { project: WIRE });
  const players = await openPlayers(world, dice, accounts);
  for (const player of players) {
    say(player, `A first note of ${player.name}`);
    player.db.run('UPDATE projects SET first_commit = ? WHERE key = ?', [WIRE.firstCommit, PROJECT.key]);
  }
  const ledger: [string, string][] = [];
  for (let part = 0; part < 4; part++) {
    const publisher = dice.pick(players);
    if (publisher) publish(publisher, space, dice.chance(0.7) ? ['decision', 'rule'] : []);
    await play(players, world, dice, ledger);
  }
  return { players, world, ledger };
}

const listOwn = ({ db }: Player) =>
  db
    .query<{ title: string }, []>(
      'SELECT title FROM observations WHERE author IS NULL AND hidden_at IS NULL AND wrong_at IS NULL ORDER BY title',
    )
    .all();
const listOf = ({ db }: Player, author: string) =>
  db.query<{ title: string }, [string]>('SELECT title FROM observations WHERE author = ? ORDER BY title').all(author);
const isPublished = ({ db }: Player) =>
  db.query("SELECT 1 FROM sync_state WHERE name > 'published:' AND name < 'published;'").get() !== null;

test(`${TEAM_HISTORIES} random histories of a team: each has exactly what the other publishes now`, async () => {
  const from = Number(process.env.CLAUDE_MEM_TEST_SEED ?? 1);
  for (let seed = from; seed < from + TEAM_HISTORIES; seed++) {
    const { players, world, ledger } = await playTeam(seed);
    const rounds = await settle(players, world);
    expect({ seed, rounds: Number.isFinite(rounds) }).toEqual({ seed, rounds: true });
    const [one, two, ben] = players;
    if (!one || !two || !ben) throw new Error('a player is missing');
    const [hers, his] = [one, ben].map((player) => (isPublished(player) ? listOwn(player) : []));
    expect({ seed, has: listOf(ben, 'anna') }).toEqual({ seed, has: hers ?? [] });
    for (const player of [one, two]) expect({ seed, has: listOf(player, 'ben') }).toEqual({ seed, has: his ?? [] });
    expect({ seed, ...(project(two) as object) }).toEqual({ seed, ...(project(one) as object) });
    expectLedger(seed, players, ledger);
    expect({ seed, undead: listUndead([one, two]) }).toEqual({ seed, undead: [] });
    for (const { db } of players) db.close();
    await world.storage.close();
  }
}, 1_800_000);
