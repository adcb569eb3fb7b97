// Where a hub keeps what it has: one interface, PostgreSQL or SQLite behind it. The SQL is the same for both and stands beside its feature.
/// <reference path="../store/migrations/sql.d.ts" />
import first from './schema.sql' with { type: 'text' };

export type Row = Record<string, string | number | null>;
type Value = string | number | null;

/** Parameters are `$1`, `$2`. Whole numbers may come back as text: `Number()` reads both. */
export type Query = (sql: string, params?: Value[]) => Promise<Row[]>;

export type Tx = {
  all: Query;
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
  /** What was replaced or deleted is on the disk no longer, as far as this is for the hub to say. */
  scour: () => Promise<void>;
  close: () => Promise<void>;
};

/** Of rows that belong to no tenant: what two machines exchange before they know each other. */
export const NO_TENANT = '-';

export const TENANT_TABLES = ['tenants', 'members', 'devices', 'invites', 'spaces', 'audit', 'pairings', 'records'];

const readFirst = (): string[] =>
  first
    .replace(/^--.*\n/gm, '')
    .split(';')
    .flatMap((statement) => statement.trim() || []);

/** What each version of the schema adds. A released one is never edited. */
const STEPS: ((recordsEnd: string) => string[])[] = [
  (recordsEnd) => readFirst().map((statement) => (statement.startsWith('CREATE TABLE records') ? statement + recordsEnd : statement)),
  // Another one than a machine knows: the hub lost something, as after a restore, and is told everything again.
  () => ['ALTER TABLE spaces ADD COLUMN generation BIGINT NOT NULL DEFAULT 0'],
  // Which device let another in; how much a member has published.
  () => ['ALTER TABLE devices ADD COLUMN added_by TEXT', 'ALTER TABLE members ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0'],
];
export const HUB_SCHEMA = STEPS.length;
export const listStatements = (from: number, recordsEnd = ''): string[] => STEPS.slice(from).flatMap((step) => step(recordsEnd));
