import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OriginalMemory, readOriginal } from '../../src/import/original-rows.ts';
import { GENERATIONS, MINUTE, ONE_SESSION, type PeerContents, T, times, writePeer } from './original-database.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cmem-peer-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const FILE_TIME = Date.parse('2026-01-01T00:00:00Z');

function read(tables: Record<string, string[]>, contents: PeerContents): OriginalMemory[] {
  const path = join(folder, 'claude-mem.db');
  writePeer(path, tables, contents);
  const db = new Database(path, { readonly: true });
  try {
    return [...readOriginal(db, FILE_TIME)];
  } finally {
    db.close(true);
  }
}

const only = <Kind extends OriginalMemory['kind']>(memories: OriginalMemory[], kind: Kind) =>
  memories.filter((memory): memory is Extract<OriginalMemory, { kind: Kind }> => memory.kind === kind);

/** What another version called otherwise, or did not have. */
function rewrite(contents: PeerContents, names: Record<string, string>, tables: Record<string, string[]>): PeerContents {
  const kept = Object.entries(contents).filter(([table]) => tables[table]);
  return Object.fromEntries(
    kept.map(([table, rows]) => [
      table,
      rows.map((row) =>
        Object.fromEntries(
          Object.entries(row)
            .map(([name, value]) => [names[name] ?? name, value] as const)
            .filter(([name]) => tables[table]?.includes(name)),
        ),
      ),
    ]),
  );
}

const OLD_NAMES = { content_session_id: 'claude_session_id', memory_session_id: 'sdk_session_id' };

describe('a database of the other program', () => {
  for (const version of ['version 6', 'version 10', 'version 13']) {
    test(`of ${version} tells its session, prompt, observation and summary`, () => {
      const tables = GENERATIONS[version] ?? {};
      const contents = rewrite(ONE_SESSION, version === 'version 6' ? OLD_NAMES : {}, tables);
      const memories = read(tables, contents);
      expect(memories.map(({ kind }) => kind)).toEqual(['session', 'prompt', 'observation', 'summary']);
      expect(only(memories, 'session')[0]?.session).toEqual({
        id: 'c-1',
        host: 'claude-code',
        project: 'shop',
        title: null,
        startedAt: T,
        completedAt: T + 30 * MINUTE,
      });
      expect(only(memories, 'prompt')[0]).toMatchObject({
        text: 'Why are carts empty after login?',
        promptNumber: 1,
        at: T,
      });
      expect(only(memories, 'observation')[0]).toMatchObject({
        session: { id: 'c-1' },
        promptNumber: 1,
        draft: {
          type: 'bugfix',
          title: 'Carts survive the login',
          facts: [
            { text: 'mergeCart runs after login now', sources: [] },
            { text: 'The test covers two devices', sources: [] },
          ],
          concepts: ['gotcha', 'session'],
          filesRead: ['src/login.ts'],
          filesModified: ['src/cart.ts'],
          origin: 'agent',
          at: T + 10 * MINUTE,
        },
      });
      expect(only(memories, 'summary')[0]?.draft).toMatchObject({
        learned: 'The merge ran too early',
        nextSteps: 'Watch the error rate',
        filesEdited: ['src/cart.ts'],
        at: T + 20 * MINUTE,
      });
    });
  }

  test('of version 4 has its first prompt with the session, and observations of one text', () => {
    const tables = GENERATIONS['version 4'] ?? {};
    const contents = rewrite(ONE_SESSION, OLD_NAMES, tables);
    contents.observations = [
      {
        sdk_session_id: 'm-1',
        project: 'shop',
        text: 'The merge ran too early.\nIt waits now.',
        type: 'security_alert',
        ...times(3),
      },
    ];
    const memories = read(tables, contents);
    expect(memories.map(({ kind }) => kind)).toEqual(['session', 'prompt', 'observation', 'summary']);
    expect(only(memories, 'observation')[0]?.draft).toMatchObject({
      type: 'change',
      title: 'The merge ran too early.',
      narrative: 'The merge ran too early.\nIt waits now.',
      facts: [],
    });
  });

  test('may lack any column but that of a session', () => {
    const memories = read(
      { observations: ['memory_session_id', 'title'], session_summaries: ['memory_session_id', 'learned'] },
      {
        observations: [{ memory_session_id: 'm-9', title: 'Only a title' }],
        session_summaries: [{ memory_session_id: 'm-9', learned: 'Only this' }],
      },
    );
    const [observation] = only(memories, 'observation');
    expect(observation).toMatchObject({
      project: 'unknown',
      promptNumber: null,
      draft: { type: 'change', at: FILE_TIME },
    });
    expect(observation?.session.id).toMatch(/^claude-mem\.db:[0-9a-f]{12}:m-9$/);
    expect(only(memories, 'summary')[0]?.session).toBe(observation?.session as never);
  });

  const times13 = GENERATIONS['version 13'] ?? {};
  test('tells where a memory was moved to, and which program a session was of', () => {
    const contents: PeerContents = {
      sdk_sessions: [{ content_session_id: 'x-1', memory_session_id: 'm-1', platform_source: 'codex', project: 'shop/tree' }],
      observations: [{ memory_session_id: 'm-1', project: 'shop/tree', merged_into_project: 'shop', title: 'Moved', ...times(1) }],
      user_prompts: [{ session_db_id: 1, content_session_id: 'gone', prompt_number: 2, prompt_text: 'Hi', ...times(1) }],
    };
    const memories = read(times13, contents);
    expect(only(memories, 'session')[0]?.session).toMatchObject({ host: 'codex', project: 'shop/tree' });
    expect(only(memories, 'observation')[0]?.project).toBe('shop');
    expect(only(memories, 'prompt')[0]?.session.id).toBe('x-1');
  });

  for (const [what, epoch, text, at] of [
    ['milliseconds', T, null, T],
    ['seconds', T / 1000, null, T],
    ['a text', null, '2025-11-05T09:00:00.000Z', T],
    ['a text of SQLite', null, '2025-11-05 09:00:00', T],
    ['nonsense', -5, 'yesterday', T - MINUTE],
  ] as const)
    test(`takes a time of ${what}`, () => {
      const memories = read(times13, {
        sdk_sessions: [{ content_session_id: 'c', memory_session_id: 'm', project: 'p', started_at_epoch: T - MINUTE }],
        observations: [{ memory_session_id: 'm', title: 'x', created_at: text, created_at_epoch: epoch }],
      });
      expect(only(memories, 'observation')[0]?.draft.at).toBe(at);
    });

  for (const [written, items] of [
    ['["a","b","a"]', ['a', 'b']],
    ['- a\n- b\n', ['a', 'b']],
    ['[not json', ['[not json']],
    ['', []],
    [null, []],
  ] as const)
    test(`reads the list ${written}`, () => {
      const memories = read(times13, { observations: [{ memory_session_id: 'm', title: 'x', concepts: written }] });
      expect(only(memories, 'observation')[0]?.draft.concepts).toEqual([...items]);
    });
});
