// What a person does with their memory at random, and a line that cannot be trusted: for histories that nobody thought of.
import { changeTrust } from '../../src/memory/blocked.ts';
import { correct, replaceMemory } from '../../src/memory/edit.ts';
import { hideMemories, unhideMemories } from '../../src/memory/hide.ts';
import type { Fetch } from '../../src/sync/client.ts';
import { fetchHub, forget, type Machine, say, type World } from './machines.ts';

/** The same number, the same history. */
export function createDice(seed: number) {
  let state = seed * 2_654_435_761 + 1;
  const next = () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) ^ (state << 7)) >>> 0;
    return state / 2 ** 32;
  };
  return { next, pick: <T>(list: T[]): T | undefined => list[Math.floor(next() * list.length)], chance: (p: number) => next() < p };
}
export type Dice = ReturnType<typeof createDice>;

/** A line that fails before or after the hub has heard, says things twice, and says old things again. */
export function createLine({ hub }: World, dice: Dice) {
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

export type Player = Machine & { line: { isCut: boolean; isFaulty: boolean }; policy: { isSent: boolean; withTurns: boolean } };
/** What others published is not for this person to change. */
const listOwn = ({ db }: Machine, titles: string) =>
  db
    .query<{ id: number }, [string]>('SELECT id FROM observations WHERE hidden_at IS NULL AND author IS NULL AND title LIKE ?')
    .all(titles)
    .map(({ id }) => id);
const listIds = (player: Machine) => listOwn(player, '%');
/** Said once, and by nobody edited, hidden or forgotten: each must be there once in the end. */
export const ENTRY = 'Entry %';
const listLoose = (player: Machine) => {
  const entries = new Set(listOwn(player, ENTRY));
  return listIds(player).filter((id) => !entries.has(id));
};

/** `ledger`: the entries that were said, by whom. */
export const MOVES: ((player: Player, dice: Dice, ledger: [string, string][]) => void | Promise<void>)[] = [
  (player, dice, ledger) => {
    if (dice.chance(0.5)) {
      const entry = `Entry ${ledger.length} of ${player.account.name} by ${player.name}`;
      ledger.push([player.account.name, entry]);
      return void say(player, entry);
    }
    // Whoever has forgotten a sentence takes it from nobody: two people do not say the same.
    const about = `${player.account.name} about ${dice.pick(['herons', 'lanterns', 'gravel', 'violins'])}`;
    say(player, `Note ${Math.floor(dice.next() * 40)} of ${about} and nothing else`);
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
    const id = dice.pick(listLoose(player));
    if (id)
      correct(
        player.db,
        { kind: 'observation', id },
        { title: `Edited ${Math.floor(dice.next() * 1e6)} by ${player.name}`, by: 'user' },
        player.now(),
      );
  },
  (player, dice) => {
    const id = dice.pick(listLoose(player));
    if (id && dice.chance(0.5)) forget(player, id);
  },
  (player, dice) => {
    const id = dice.pick(listLoose(player));
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
  (player, dice) => {
    player.policy.isSent = dice.chance(0.5);
  },
];
