-- The schema of a hub, the same for PostgreSQL and SQLite.
CREATE TABLE tenants (tenant TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, created_at BIGINT NOT NULL);
CREATE TABLE members (
  tenant TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, created_at BIGINT NOT NULL, removed_at BIGINT,
  bytes BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (tenant, id), UNIQUE (tenant, name));
CREATE TABLE devices (
  tenant TEXT NOT NULL, id TEXT NOT NULL, member TEXT NOT NULL, name TEXT NOT NULL, secret_hash TEXT NOT NULL,
  created_at BIGINT NOT NULL, seen_at BIGINT, revoked_at BIGINT, added_by TEXT, PRIMARY KEY (tenant, id));
CREATE TABLE invites (
  tenant TEXT NOT NULL, code_hash TEXT NOT NULL, member TEXT NOT NULL, expires_at BIGINT NOT NULL, PRIMARY KEY (tenant, code_hash));
CREATE TABLE spaces (
  tenant TEXT NOT NULL, id TEXT NOT NULL, owner TEXT, name TEXT NOT NULL, project TEXT, head BIGINT NOT NULL DEFAULT 0,
  bytes BIGINT NOT NULL DEFAULT 0, generation BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (tenant, id));
CREATE TABLE audit (
  tenant TEXT NOT NULL, id TEXT NOT NULL, at BIGINT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, subject TEXT NOT NULL,
  PRIMARY KEY (tenant, id));
CREATE TABLE pairings (
  tenant TEXT NOT NULL, id TEXT NOT NULL, offer TEXT NOT NULL, answer TEXT, sealed TEXT, expires_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, id));
CREATE TABLE records (
  tenant TEXT NOT NULL, space TEXT NOT NULL, entity TEXT NOT NULL, pos BIGINT NOT NULL, id TEXT NOT NULL, device TEXT NOT NULL,
  member TEXT NOT NULL, seq BIGINT NOT NULL, kind TEXT NOT NULL, clock TEXT NOT NULL, state TEXT NOT NULL, hash TEXT NOT NULL,
  payload TEXT, PRIMARY KEY (tenant, space, entity));
CREATE INDEX records_in_order ON records (tenant, space, pos);
