// Where a hub keeps what it has: one interface, PostgreSQL or SQLite behind it. The SQL is the same for both and stands beside its feature.
/// <reference path="../store/migrations/sql.d.ts" />
import schema from './schema.sql' with { type: 'text' };

export type Value = string | number | null;

export type Tx = {
  /** Parameters are `$1`, `$2`. `Row`: what the statement selects or returns. */
  all: <Row = Record<string, Value>>(sql: string, params?: Value[]) => Promise<Row[]>;
  /** SQL for the texts of a JSON list in a parameter. */
  listOf: (parameter: string) => string;
  /** SQL by which rows of `records` are found and ranked for the words in a parameter; null where the database has no full-text search. */
  matching: ((parameter: string) => { where: string; rank: string }) | null;
  /** `records` has a column `meaning` for vectors: those of published memories that somebody has searched. */
  hasMeaning: boolean;
};

export type Storage = {
  kind: 'postgres' | 'sqlite';
  /** One transaction that is stored when it resolves. Only this tenant's rows can be read or written in it. */
  inTenant: <T>(tenant: string, work: (tx: Tx) => Promise<T>) => Promise<T>;
  problems: () => Promise<string[]>;
  /** What was replaced or deleted is on the disk no longer, as far as docs/hub.md says. `isPlain`: anybody could have read it. */
  scour: (isPlain: boolean) => Promise<void>;
  close: () => Promise<void>;
};

/** Of rows that belong to no tenant: what two machines exchange before they know each other. */
export const NO_TENANT = '-';

export const TENANT_TABLES = ['tenants', 'members', 'devices', 'invites', 'spaces', 'audit', 'pairings', 'records'];

const split = (sql: string): string[] =>
  sql
    .replace(/^--.*\n/gm, '')
    .split(';')
    .flatMap((statement) => statement.trim() || []);

/** From an empty database to today's; a released step is never edited. A later one changes tables, not rows: it sees those of no tenant. */
export const STEPS: string[][] = [split(schema)];
