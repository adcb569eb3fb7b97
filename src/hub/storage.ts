// Where a hub keeps what it has: one interface, PostgreSQL or SQLite behind it. The SQL is the same for both and stands beside its feature.
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

const TABLES = `
CREATE TABLE tenants (tenant TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, created_at BIGINT NOT NULL);
CREATE TABLE members (
  tenant TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, created_at BIGINT NOT NULL, removed_at BIGINT,
  PRIMARY KEY (tenant, id), UNIQUE (tenant, name));
CREATE TABLE devices (
  tenant TEXT NOT NULL, id TEXT NOT NULL, member TEXT NOT NULL, name TEXT NOT NULL, secret_hash TEXT NOT NULL,
  created_at BIGINT NOT NULL, seen_at BIGINT, revoked_at BIGINT, PRIMARY KEY (tenant, id));
CREATE TABLE invites (
  tenant TEXT NOT NULL, code_hash TEXT NOT NULL, member TEXT NOT NULL, expires_at BIGINT NOT NULL, PRIMARY KEY (tenant, code_hash));
CREATE TABLE spaces (
  tenant TEXT NOT NULL, id TEXT NOT NULL, owner TEXT, name TEXT NOT NULL, project TEXT, head BIGINT NOT NULL DEFAULT 0,
  bytes BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (tenant, id));
CREATE TABLE audit (
  tenant TEXT NOT NULL, id TEXT NOT NULL, at BIGINT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, subject TEXT NOT NULL,
  PRIMARY KEY (tenant, id));
CREATE TABLE pairings (
  tenant TEXT NOT NULL, id TEXT NOT NULL, offer TEXT NOT NULL, answer TEXT, sealed TEXT, expires_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, id))`;

const RECORDS = (end: string) => `CREATE TABLE records (
  tenant TEXT NOT NULL, space TEXT NOT NULL, entity TEXT NOT NULL, pos BIGINT NOT NULL, id TEXT NOT NULL, device TEXT NOT NULL,
  member TEXT NOT NULL, seq BIGINT NOT NULL, kind TEXT NOT NULL, clock TEXT NOT NULL, state TEXT NOT NULL, hash TEXT NOT NULL,
  payload TEXT, PRIMARY KEY (tenant, space, entity))${end}`;
const RECORDS_IN_ORDER = 'CREATE INDEX records_in_order ON records (tenant, space, pos)';

export const TENANT_TABLES = ['tenants', 'members', 'devices', 'invites', 'spaces', 'audit', 'pairings', 'records'];
/** What each version of the schema adds. A released one is never edited. */
const STEPS: ((recordsEnd: string) => string[])[] = [
  (recordsEnd) => [...TABLES.split(';'), RECORDS(recordsEnd), RECORDS_IN_ORDER],
  // Another one than a machine knows: the hub lost something, as after a restore, and is told everything again.
  () => ['ALTER TABLE spaces ADD COLUMN generation BIGINT NOT NULL DEFAULT 0'],
  // Which device let another in; how much a member has published.
  () => ['ALTER TABLE devices ADD COLUMN added_by TEXT', 'ALTER TABLE members ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0'],
];
export const HUB_SCHEMA = STEPS.length;
export const listStatements = (from: number, recordsEnd = ''): string[] => STEPS.slice(from).flatMap((step) => step(recordsEnd));
