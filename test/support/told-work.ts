// Sessions told in a few words, through the door that hooks come through and the rules, with what came of each turn.

import { findSession } from '../../src/capture/sessions.ts';
import { settleNew } from '../../src/observe/derive.ts';
import { readEvidence } from '../../src/observe/evidence.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { bash, bashFailure, edit, stop, todos, userPrompt, webFetch } from './payloads.ts';
import { createTestStore, type TestStore } from './store.ts';

export const ROOT = '/home/dev/shop';

export type Deed =
  | { ran: string; out?: string }
  | { failed: string; out: string }
  | { edited: string; lines: string[] }
  | { todo: Record<string, 'pending' | 'in_progress' | 'completed'> }
  /** A page, with its words. */
  | { fetched: string; text: string };

export type StoredWork = { id: number; type: string; title: string; outcome: string | null; session: string };

export type ToldWork = TestStore & {
  /** One turn; returns what it stored. `day`: so many days after the first. */
  turn: (session: string, asked: string, deeds: Deed[], said: string, day?: number) => StoredWork[];
  works: () => StoredWork[];
  outcomeOf: (id: number) => string | null;
};

export function createToldWork(): ToldWork {
  const store = createTestStore();
  const { db } = store;
  const works = () =>
    db
      .query<StoredWork, []>(
        `SELECT o.id, o.type, o.title, o.outcome, s.host_session_id AS session FROM observations o
         JOIN sessions s ON s.id = o.session_id ORDER BY o.id`,
      )
      .all();
  let clock = Date.parse('2026-01-02T10:00:00Z');
  const take = (command: 'new' | 'save' | 'summary', payload: unknown, day: number) => {
    clock += 1000;
    store.take(command, payload, { receivedAt: clock + day * 86_400_000 });
  };
  return {
    ...store,
    works,
    outcomeOf: (id) => works().find((work) => work.id === id)?.outcome ?? null,
    turn(session, asked, deeds, said, day = 0) {
      take('new', userPrompt(session, ROOT, asked), day);
      for (const deed of deeds) take('save', payloadOf(session, deed), day);
      take('summary', stop(session, ROOT, said), day);
      const before = new Set(works().map(({ id }) => id));
      const id = findSession(db, session)?.id ?? 0;
      const result = processTurn(db, id, {
        observe: observeBatch,
        settle: settleNew,
        isForModel: () => false,
        readEvidence,
        clock: Date.now,
      });
      if (result.kind === 'failed' || result.kind === 'postponed') throw result.error;
      return works().filter((work) => !before.has(work.id));
    },
  };
}

function payloadOf(session: string, deed: Deed): unknown {
  if ('ran' in deed) return bash(session, ROOT, deed.ran, deed.out ?? '');
  if ('failed' in deed) return bashFailure(session, ROOT, deed.failed, deed.out);
  if ('todo' in deed) return todos(session, ROOT, deed.todo);
  if ('fetched' in deed) return webFetch(session, ROOT, deed.fetched, deed.text);
  return edit(session, ROOT, deed.edited, deed.lines);
}
