// A hub on PostgreSQL, through Bun's own client: several hub processes on one database. Core SQL alone on the main path; partitions and
// row-level security where the server has them.
import { SQL } from 'bun';
import { HUB_SCHEMA, listStatements, type Row, type Storage, TENANT_TABLES } from './storage.ts';

const PARTITIONS = 16;
/** Transactions of one hub process at a time. */
const CONNECTIONS = 10;
/** Any number, the same in every process: who migrates, migrates alone. */
const MIGRATION_LOCK = 7_366_501;

export async function openPostgres(url: string): Promise<Storage> {
  const sql = new SQL(url, { max: CONNECTIONS, connectionTimeout: 10, idleTimeout: 60 });
  await migrate(sql);
  return {
    kind: 'postgres',
    inTenant: (tenant, work) =>
      // What `begin` resolves to is what its function resolves to.
      sql.begin(async (tx) => {
        await tx.unsafe("SELECT set_config('claude_mem.tenant', $1, true)", [tenant]);
        return work({
          all: async (text, params = []) => (await tx.unsafe(text, params)) as Row[],
          listOf: (parameter) => `(SELECT jsonb_array_elements_text(CAST(CAST(${parameter} AS text) AS jsonb)))`,
        });
      }) as never,
    problems: () => findProblems(sql),
    close: () => sql.close({ timeout: 5 }),
  };
}

async function migrate(sql: SQL): Promise<void> {
  const found = await sql.unsafe("SELECT to_regclass('hub_schema') AS name");
  const isThere = found[0]?.name !== null;
  const version = isThere ? Number((await sql.unsafe('SELECT max(version) AS version FROM hub_schema'))[0]?.version ?? 0) : 0;
  if (version > HUB_SCHEMA) throw new Error('This database was written by a newer claude-mem. Update this one.');
  if (version === HUB_SCHEMA) return;
  await sql.begin(async (tx) => {
    await tx.unsafe('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const again = await tx.unsafe("SELECT to_regclass('hub_schema') AS name");
    if (again[0]?.name !== null) return;
    for (const statement of listStatements(' PARTITION BY HASH (tenant)')) await tx.unsafe(statement);
    for (let part = 0; part < PARTITIONS; part++) {
      await tx.unsafe(`CREATE TABLE records_${part} PARTITION OF records FOR VALUES WITH (MODULUS ${PARTITIONS}, REMAINDER ${part})`);
      await protect(tx, `records_${part}`);
    }
    for (const table of TENANT_TABLES) await protect(tx, table);
    await tx.unsafe('CREATE TABLE hub_schema (version INTEGER NOT NULL)');
    await tx.unsafe('INSERT INTO hub_schema (version) VALUES ($1)', [HUB_SCHEMA]);
  });
}

/** Also for the owner of the table: whatever a hub process asks, other tenants' rows are not there. */
async function protect(tx: Pick<SQL, 'unsafe'>, table: string): Promise<void> {
  await tx.unsafe(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
  await tx.unsafe(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
  const own = "tenant = current_setting('claude_mem.tenant', true)";
  await tx.unsafe(`CREATE POLICY own_tenant ON ${table} USING (${own}) WITH CHECK (${own})`);
}

async function findProblems(sql: SQL): Promise<string[]> {
  const rows = await sql.unsafe('SELECT rolsuper OR rolbypassrls AS bypasses FROM pg_roles WHERE rolname = current_user');
  if (!rows[0]?.bypasses) return [];
  return ['The database role may pass row-level security over: use a role that is neither superuser nor BYPASSRLS (docs/hub.md).'];
}
