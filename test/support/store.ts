// A store in memory-like speed for one test: a real file, thrown away afterwards.

import type { Database } from 'bun:sqlite';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ingested, ingest } from '../../src/capture/ingest.ts';
import { readArrival } from '../../src/capture/message.ts';
import type { SilenceSettings } from '../../src/capture/silence.ts';
import type { Envelope, HookCommand } from '../../src/core/envelope.ts';
import { hashParts } from '../../src/core/ids.ts';
import type { ProcessDeps } from '../../src/observe/process-turn.ts';
import { openStore } from '../../src/store/open.ts';
import type { Observe } from '../../src/turns/batch.ts';
import { CAPTURE_ALL } from './capture-settings.ts';

/** What distils a turn when no model is there. */
export const byRules = (observe: Observe): ProcessDeps => ({ observe, isForModel: () => false, clock: Date.now });

export type TestStore = {
  db: Database;
  take: (command: HookCommand, payload: unknown, more?: Partial<Envelope>) => Ingested;
  close: () => void;
};

export function createTestStore(skipTools: string[] = ['Skill'], silent: Partial<SilenceSettings> = {}): TestStore {
  const folder = mkdtempSync(join(tmpdir(), 'cmem-db-'));
  const db = openNewStore(join(folder, 'memory.db'));
  let clock = Date.parse('2026-01-02T10:00:00Z');
  return {
    db,
    take(command, payload, more = {}) {
      clock += 1000;
      const envelope = {
        id: hashParts([command, JSON.stringify(payload)]),
        v: 1,
        host: 'claude-code',
        event: command,
        receivedAt: clock,
        payload,
        ...more,
      };
      return db.transaction(() => ingest(db, readArrival(envelope), { ...CAPTURE_ALL, skipTools, ...silent })).immediate();
    },
    close() {
      db.close(true);
      rmSync(folder, { recursive: true });
    },
  };
}

/** The bytes of a store without a row: to make the tables costs ten times as much as to copy them. */
let empty: Uint8Array | null = null;

export function writeEmptyStore(path: string): void {
  empty ??= makeEmpty();
  writeFileSync(path, empty, { mode: 0o600 });
}

/** Nothing of it has to outlive the machine. */
export function openNewStore(path: string): Database {
  writeEmptyStore(path);
  const db = openStore(path);
  db.run('PRAGMA synchronous = OFF');
  return db;
}

function makeEmpty(): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'cmem-db-'));
  try {
    openStore(join(folder, 'memory.db')).close(true);
    return readFileSync(join(folder, 'memory.db'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
