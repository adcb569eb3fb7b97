// Three machines, random histories: partitions, clocks an hour off, lost answers, duplicates, late deliveries and crashes. All end with the
// same memories, and what was forgotten stays forgotten.
import { expect, test } from 'bun:test';
import { changeTrust } from '../../src/memory/blocked.ts';
import { correct, replaceMemory } from '../../src/memory/edit.ts';
import { hideMemories, unhideMemories } from '../../src/memory/hide.ts';
import type { Fetch } from '../../src/sync/client.ts';
import {
  addMachine,
  countPendingOf,
  fetchHub,
  forget,
  loginWith,
  type Machine,
  openMachine,
  openWorld,
  project,
  say,
  type World,
} from './machines.ts';

const HISTORIES = process.env.CLAUDE_MEM_TEST_FULL ? 1000 : 60;
const STEPS = 60;
const HOUR_MS = 3_600_000;

/** The same number, the same history. */
function createDice(seed: number) {
  let state = seed * 2_654_435_761 + 1;
  const next = () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) ^ (state << 7)) >>> 0;
    return state / 2 ** 32;
  };
  return { next, pick: <T>(list: T[]): T | undefined => list[Math.floor(next() * list.length)], chance: (p: number) => next() < p };
}
type Dice = ReturnType<typeof createDice>;

/** A line that fails before or after the hub has heard, says things twice, and says old things again. */
function createLine({ hub }: World, dice: Dice) {
  const line = { isCut: false, isFaulty: true };
  const through = fetchHub(hub);
  const late: [string, RequestInit][] = [];
  const fetch: Fetch = async (url, init) => {
    if (line.isCut) throw new TypeError('cut');
    if (!line.isFaulty) return through(url, init);
    if (dice.chance(0.1)) throw new TypeError('before');
    const old = late.length > 0 && dice.chance(0.2) ? dice.pick(late) : undefined;
    if (old) await through(...old);
    const answer = await through(url, init);
    if (url.endsWith('/push')) late.push([url, { ...init, signal: null }]);
    if (dice.chance(0.1)) await through(url, init);
    if (dice.chance(0.12)) throw new TypeError('after');
    return answer;
  };
  return { line, fetch };
}

type Player = Machine & { line: { isCut: boolean; isFaulty: boolean } };
const listIds = ({ db }: Machine) =>
  db
    .query<{ id: number }, []>('SELECT id FROM observations WHERE hidden_at IS NULL')
    .all()
    .map(({ id }) => id);

const MOVES: ((player: Player, dice: Dice, said: Set<string>) => void | Promise<void>)[] = [
  (player, dice, said) => {
    const text = `Note ${Math.floor(dice.next() * 40)} about ${dice.pick(['herons', 'lanterns', 'gravel', 'violins'])} and nothing else`;
    said.add(text);
    say(player, text);
  },
  (player, dice) => {
    const id = dice.pick(listIds(player));
    if (id) correct(player.db, { kind: 'observation', id }, { pinned: dice.chance(0.6), by: 'user' }, player.now());
  },
  (player, dice) => {
    const id = dice.pick(listIds(player));
    if (id) correct(player.db, { kind: 'observation', id }, { wrong: dice.chance(0.6), by: 'user' }, player.now());
  },
  (player, dice) => {
    const id = dice.pick(listIds(player));
    if (id)
      correct(
        player.db,
        { kind: 'observation', id },
        { title: `Edited ${Math.floor(dice.next() * 1e6)} by ${player.name}`, by: 'user' },
        player.now(),
      );
  },
  (player, dice) => {
    const id = dice.pick(listIds(player));
    if (id && dice.chance(0.5)) forget(player, id);
  },
  (player, dice) => {
    const id = dice.pick(listIds(player));
    if (!id || dice.chance(0.5)) return;
    player.db.transaction(() => hideMemories(player.db, [{ kind: 'observation', id }], player.now())).immediate();
    if (dice.chance(0.5)) player.db.transaction(() => unhideMemories(player.db, [{ kind: 'observation', id }])).immediate();
  },
  (player, dice) => {
    const [older, newer] = [dice.pick(listIds(player)), dice.pick(listIds(player))];
    if (!older || !newer || older === newer) return;
    try {
      replaceMemory(player.db, { older: String(older), newer: String(newer), bothHold: dice.chance(0.2), by: 'user' }, player.now());
    } catch {
      // It is itself replaced by the older, or marked incorrect: a person hears so, and nothing changes.
    }
  },
  (player, dice) => {
    changeTrust(player.db, { source: `origin:${dice.pick(['web', 'mcp'])}`, trusted: dice.chance(0.5), by: 'user' }, player.now());
  },
  (player, dice) => {
    player.line.isCut = dice.chance(0.5);
  },
];

async function playHistory(seed: number) {
  const dice = createDice(seed);
  const world = await openWorld();
  const direct = fetchHub(world.hub);
  const first = await loginWith(direct, world.admin, 'one');
  const accounts = [first, await addMachine(direct, first, 'two'), await addMachine(direct, first, 'three')];
  const players: Player[] = [];
  for (const [at, account] of accounts.entries()) {
    const { line, fetch } = createLine(world, dice);
    const skew = (dice.next() * 2 - 1) * HOUR_MS;
    // Dies where it just has heard from the hub, or between two batches.
    const rest = async () => {
      if (line.isFaulty && dice.chance(0.05)) throw new Error('killed');
    };
    players.push({ ...(await openMachine(`m${at}`, account, { fetch, now: () => Math.floor(world.time.now + skew), rest })), line });
  }
  const said = new Set<string>();
  for (let step = 0; step < STEPS; step++) {
    world.time.now += Math.floor(dice.next() * 60_000);
    const player = dice.pick(players);
    if (!player) continue;
    if (dice.chance(0.6)) await dice.pick(MOVES)?.(player, dice, said);
    else await player.sync.round().catch(async () => void (dice.chance(0.3) && (await player.restart())));
  }
  return { players, world };
}

/** Until nobody has anything to say; more rounds than that are a quarrel. */
async function settle(players: Player[], world: World): Promise<number> {
  for (const { line } of players) Object.assign(line, { isCut: false, isFaulty: false });
  for (let round = 1; round <= 12; round++) {
    world.time.now += 60_000;
    for (const player of players) await player.sync.round();
    const pending = await Promise.all(players.map(countPendingOf));
    if (pending.every((n) => n === 0) && round > 2) return round;
  }
  return Number.POSITIVE_INFINITY;
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
    const { players, world } = await playHistory(seed);
    const rounds = await settle(players, world);
    const [one, ...others] = players.map(project);
    for (const [at, other] of others.entries()) expect({ seed, at, ...(other as object) }).toEqual({ seed, at, ...(one as object) });
    expect({ seed, rounds: Number.isFinite(rounds) }).toEqual({ seed, rounds: true });
    expect({ seed, undead: listUndead(players) }).toEqual({ seed, undead: [] });
    for (const { db } of players) db.close();
    await world.storage.close();
  }
}, 1_800_000);
