// Fault F1: a damaged page of memory.db is never silent, and repair brings back every row outside of it, and the backup's besides.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { makeCopy, runChild } from '../../src/backup/copies.ts';
import { readDamage } from '../../src/backup/damage.ts';
import type { Paths } from '../../src/paths.ts';
import {
  compareDumps,
  copyStore,
  type Dump,
  dumpStore,
  fillStore,
  judgeRepair,
  PAGE,
  type PageUse,
  readPageUse,
  writePage,
} from '../support/damaged-store.ts';
import { reportFault } from '../support/report-fault.ts';

const IS_FULL = Boolean(process.env.CLAUDE_MEM_TEST_FULL);
const TRIALS = IS_FULL ? 100 : 4;

let store: Paths;
let before: Dump;
let pages: Map<number, PageUse>;
beforeAll(async () => {
  store = await fillStore(IS_FULL ? 25 : 10);
  before = dumpStore(store.database);
  pages = readPageUse(store.database);
}, 600_000);
afterAll(() => rmSync(store.dataDir, { recursive: true, force: true }));

const pick = (below: number) => Math.floor(Math.random() * below);
const usedPages = () => [...pages.keys()];

function flipBits(bytes: Buffer): void {
  for (let flip = 1 + pick(8); flip > 0; flip--) {
    const at = pick(PAGE);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << pick(8)), at);
  }
}

type Outcome = { isSilent: boolean; lost: number };

/** One page of a copy is damaged; it is checked and repaired by the processes that do so for everybody. */
async function damageOnce(change: (bytes: Buffer) => void, hasBackup: boolean): Promise<Outcome> {
  const { paths, dispose } = copyStore(store);
  const page = usedPages()[pick(pages.size)] ?? 1;
  const use = pages.get(page) ?? { table: '', mostRows: 0 };
  try {
    if (hasBackup) await makeCopy(paths);
    while (!writePage(paths.database, page, change));
    const verdict = await runChild({ kind: 'check', paths });
    const report = await runChild({ kind: 'repair', paths });
    const { lost, amiss } = judgeRepair(before, paths.database, use, hasBackup);
    const where = `page ${page} of ${use.table}`;
    expect({ where, amiss }).toEqual({ where, amiss: [] });
    // It never says that all is there when something is not.
    expect(report.isWhole && lost > 0).toBe(false);
    expect((await runChild({ kind: 'check', paths, isDeep: true })).damage).toEqual([]);
    return { isSilent: verdict.damage.length === 0, lost };
  } finally {
    dispose();
  }
}

const CHANGES: [string, (bytes: Buffer) => void][] = [
  ['zeroed', (bytes: Buffer): void => void bytes.fill(0)],
  ['flipped', flipBits],
];

describe.each(CHANGES)('a random page %s', (name, change) => {
  test.each([
    ['without a backup', false],
    ['with a backup', true],
  ] as const)(
    `is found, and repaired %s`,
    async (_, hasBackup) => {
      const started = performance.now();
      let [silent, lost] = [0, 0];
      for (let trial = 0; trial < TRIALS / 2; trial++) {
        const outcome = await damageOnce(change, hasBackup);
        silent += Number(outcome.isSilent);
        lost += outcome.lost;
      }
      expect(silent).toBe(0);
      if (hasBackup) expect(lost).toBe(0);
      const fault = `F1 page ${name}${hasBackup ? ', backup' : ''}`;
      reportFault({ fault, runs: TRIALS / 2, lost, twice: 0, silent, since: started });
    },
    600_000,
  );
});

test('any page of the schema is damaged: nothing is lost', async () => {
  const schema = [...pages].filter(([, { table }]) => table === 'sqlite_schema');
  for (const [page] of schema.filter((_, at) => IS_FULL || at % 4 === 0)) {
    const { paths, dispose } = copyStore(store);
    try {
      writePage(paths.database, page, (bytes) => bytes.fill(0));
      await runChild({ kind: 'repair', paths });
      const difference = compareDumps(before, dumpStore(paths.database));
      expect({ page, ...difference }).toEqual({ page, lost: new Map(), changed: [] });
      expect(readDamage(paths)).toBeNull();
    } finally {
      dispose();
    }
  }
}, 600_000);
