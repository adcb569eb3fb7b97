// What a session may be given of its own accord, by title.
import type { Database } from 'bun:sqlite';
import { tellable } from '../../src/memory/trusted.ts';

export const listTellable = (db: Database): string[] =>
  db
    .query<{ title: string }, []>(`SELECT o.title FROM observations o WHERE ${tellable('o')}`)
    .all()
    .map(({ title }) => title);
