// A hub on PostgreSQL, through Bun's own client: several hub processes on one database. Core SQL alone on the main path; partitions and
// row-level security where the server has them.
import { SQL, type TransactionSQL } from 'bun';
import { HIDDEN } from '../search/embed/minilm.ts';
import { STEPS, type Storage, TENANT_TABLES, type Value } from './storage.ts';

const PARTITIONS = 16;
/** Transactions of one hub process at a time. */
const CONNECTIONS = 10;
/** Any number, the same in every process: who migrates, migrates alone. */
const MIGRATION_LOCK = 7_366_501;

export async function openPostgres(url: string, steps = STEPS): Promise<Storage> {
  const sql = new SQL(url, { max: CONNECTIONS, connectionTimeout: 10, idleTimeout: 60 });
  await migrate(sql, steps);
  const hasWords = await hasColumn(sql, 'words');
  const hasMeaning = await prepareMeaning(sql);
  return {
    kind: 'postgres',
    inTenant: (tenant, work) =>
      // What `begin` resolves to is what its function resolves to.
      sql.begin(async (tx) => {
        await tx.unsafe("SELECT set_config('claude_mem.tenant', $1, true)", [tenant]);
        return work({
          all: async (text, params = []) => (await tx.unsafe(text, params)).map(readNumbers),
          listOf: (parameter) => `(SELECT jsonb_array_elements_text(CAST(CAST(${parameter} AS text) AS jsonb)))`,
          matching: hasWords ? matchWords : null,
          hasMeaning,
        });
      }) as never,
    problems: () => findProblems(sql),
    scour: async (isPlain) => (isPlain ? rewriteRecords(sql) : undefined),
    close: () => sql.close({ timeout: 5 }),
  };
}

/** Nobody waits so long for a lock that another holds, as a backup does. */
const LOCK_WAIT = '2s';
/** Some 30,000 records: to write more of them again would be felt. */
const MOST_REWRITTEN = 64 * 1024 ** 2;

/** What VACUUM alone frees stays in the pages until something is written over it. */
async function rewriteRecords(sql: SQL): Promise<void> {
  const parts = "(SELECT sum(pg_total_relation_size(relid)) FROM pg_partition_tree('records'))";
  const [table] = await sql.unsafe(`SELECT coalesce(${parts}, pg_total_relation_size('records')) AS bytes`);
  if (Number(table?.bytes) > MOST_REWRITTEN) return;
  const one = await sql.reserve();
  try {
    await one.unsafe(`SET lock_timeout = '${LOCK_WAIT}'`);
    await one.unsafe('VACUUM FULL records');
  } finally {
    await one.unsafe('RESET lock_timeout');
    one.release();
  }
}

/** The server gives a BIGINT as text. */
const BIGINTS = new Set(['at', 'createdAt', 'seenAt', 'revokedAt', 'expiresAt', 'head', 'generation', 'bytes', 'pos', 'seq']);

const readNumbers = (row: Record<string, Value>) =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, BIGINTS.has(name) && value !== null ? Number(value) : value]));

const HERE = 'table_schema = current_schema()';

const hasColumn = async (sql: Pick<SQL, 'unsafe'>, name: string) =>
  (await sql.unsafe(`SELECT 1 FROM information_schema.columns WHERE ${HERE} AND table_name = 'records' AND column_name = $1`, [name]))
    .length > 0;

/** Where somebody who may has said CREATE EXTENSION vector, be it after the hub was made. */
async function prepareMeaning(sql: SQL): Promise<boolean> {
  const hasExtension = (await sql.unsafe("SELECT 1 FROM pg_extension WHERE extname = 'vector'")).length > 0;
  if (!hasExtension || (await hasColumn(sql, 'meaning'))) return hasExtension;
  return sql.begin(async (tx) => {
    await tx.unsafe('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    return (await hasColumn(tx, 'meaning')) || attempt(tx, addMeaning);
  });
}

/** It goes with the words that it is of, also where a hub process that knows nothing of it changes them. */
async function addMeaning(tx: Pick<SQL, 'unsafe'>): Promise<void> {
  await tx.unsafe(`ALTER TABLE records ADD COLUMN meaning vector(${HIDDEN})`);
  await tx.unsafe(`CREATE FUNCTION hub_forget_meaning() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.payload IS DISTINCT FROM OLD.payload THEN NEW.meaning := NULL; END IF; RETURN NEW; END $$`);
  await tx.unsafe('CREATE TRIGGER forget_meaning BEFORE UPDATE ON records FOR EACH ROW EXECUTE FUNCTION hub_forget_meaning()');
}

function matchWords(parameter: string) {
  const asked = `websearch_to_tsquery('simple', ${parameter})`;
  return { where: `r.words @@ ${asked}`, rank: `ts_rank_cd(r.words, ${asked})` };
}

async function migrate(sql: SQL, steps: string[][]): Promise<void> {
  if ((await readVersion(sql)) === steps.length) return;
  await sql.begin(async (tx) => {
    await tx.unsafe('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const version = await readVersion(tx);
    if (version > steps.length) throw new Error('This database was written by a newer claude-mem. Update this one.');
    // Another process was faster.
    if (version === steps.length) return;
    const [first = [], ...later] = steps;
    if (version === 0) await create(tx, first);
    for (const statement of later.slice(Math.max(0, version - 1)).flat()) await tx.unsafe(statement);
    await tx.unsafe('INSERT INTO hub_schema (version) VALUES ($1)', [steps.length]);
  });
}

async function readVersion(sql: Pick<SQL, 'unsafe'>): Promise<number> {
  const [found] = await sql.unsafe(`SELECT 1 FROM information_schema.tables WHERE ${HERE} AND table_name = 'hub_schema'`);
  return found ? Number((await sql.unsafe('SELECT max(version) AS version FROM hub_schema'))[0]?.version ?? 0) : 0;
}

/** Partitions and row-level security are of use, not needed: a server that has none of them carries records as well. */
async function create(tx: TransactionSQL, schema: string[]): Promise<void> {
  const isParted = await attempt(tx, async (inner) => {
    for (const statement of schema) await inner.unsafe(statement.replace(/^CREATE TABLE records .*\)$/s, '$& PARTITION BY HASH (tenant)'));
    for (let part = 0; part < PARTITIONS; part++)
      await inner.unsafe(`CREATE TABLE records_${part} PARTITION OF records FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${part})`);
  });
  if (!isParted) for (const statement of schema) await tx.unsafe(statement);
  const parts = isParted ? Array.from({ length: PARTITIONS }, (_, part) => `records_${part}`) : [];
  await attempt(tx, async (inner) => {
    for (const table of [...TENANT_TABLES, ...parts]) await protect(inner, table);
  });
  await attempt(tx, addWords);
  await tx.unsafe('CREATE TABLE hub_schema (version INTEGER NOT NULL)');
}

/** False when the server cannot do it: then none of it is done. */
async function attempt(tx: TransactionSQL, work: (inner: Pick<SQL, 'unsafe'>) => Promise<void>): Promise<boolean> {
  try {
    await tx.savepoint(work);
    return true;
  } catch {
    return false; // What is missing is named by `problems`.
  }
}

/** The words of what a team published, beside it and gone with it; of what is sealed none. Whatever a member sends can be stored. */
async function addWords(tx: Pick<SQL, 'unsafe'>): Promise<void> {
  await tx.unsafe(`CREATE FUNCTION hub_words(kind text, payload text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
    IF payload IS NULL OR kind = 'sealed' THEN RETURN NULL; END IF;
    RETURN jsonb_to_tsvector('simple', payload::jsonb #> '{fields,words}', '["string"]');
    EXCEPTION WHEN others THEN RETURN NULL; END $$`);
  await tx.unsafe('ALTER TABLE records ADD COLUMN words tsvector GENERATED ALWAYS AS (hub_words(kind, payload)) STORED');
}

/** Also for the owner of the table: whatever a hub process asks, other tenants' rows are not there. */
async function protect(tx: Pick<SQL, 'unsafe'>, table: string): Promise<void> {
  await tx.unsafe(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
  await tx.unsafe(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
  const own = "tenant = current_setting('claude_mem.tenant', true)";
  await tx.unsafe(`CREATE POLICY own_tenant ON ${table} USING (${own}) WITH CHECK (${own})`);
}

async function findProblems(sql: SQL): Promise<string[]> {
  const [role] = await sql.unsafe('SELECT rolsuper OR rolbypassrls AS bypasses FROM pg_roles WHERE rolname = current_user');
  const [table] = await sql.unsafe("SELECT relforcerowsecurity AS holds FROM pg_class WHERE oid = to_regclass('records')");
  return [
    ...(role?.bypasses
      ? ['The database role may pass row-level security over: use a role that is neither superuser nor BYPASSRLS (docs/hub.md).']
      : []),
    ...(table?.holds ? [] : ['The database has no row-level security: only the queries of the hub hold teams apart (docs/hub.md).']),
  ];
}
