// What a search is limited to, as a condition on documents and as a set of their ids.
import type { Database } from 'bun:sqlite';
import { newestDocumentId } from '../store/documents.ts';
import { type Accept, acceptDocuments, isAccepted } from './vector-index.ts';

export type Filters = {
  /** Null: every project. */
  projectIds: number[] | null;
  /** Observation types, `summary`, `prompt`. */
  types?: string[] | undefined;
  concept?: string | undefined;
  /** A path, or the end of one. */
  file?: string | undefined;
  /** Epoch ms, both inclusive. */
  since?: number | undefined;
  until?: number | undefined;
  /** The host's id of a session, or its beginning. */
  session?: string | undefined;
  branch?: string | undefined;
  /** A session that asks must not find itself. */
  exceptSession?: number | undefined;
};

export type Condition = { sql: string; values: Record<string, string | number>; isEmpty: boolean };

/** On `documents d`. Lists go in as JSON, so that the statement stays the same. */
export function toCondition(filters: Filters): Condition {
  const parts: string[] = [];
  const values: Record<string, string | number> = {};
  const add = (sql: string, more: Record<string, string | number>) => {
    parts.push(sql);
    Object.assign(values, more);
  };
  const { projectIds, types, concept, file, since, until, session, branch, exceptSession } = filters;
  if (projectIds) {
    add('d.project_id IN (SELECT value FROM json_each($projects))', { projects: JSON.stringify(projectIds) });
  }
  if (types?.length) add('d.type IN (SELECT value FROM json_each($types))', { types: JSON.stringify(types) });
  if (since !== undefined) add('d.at >= $since', { since });
  if (until !== undefined) add('d.at <= $until', { until });
  if (session) {
    add(`d.session_id IN (SELECT id FROM sessions WHERE host_session_id = $session OR host_session_id LIKE $sessionStart ESCAPE '\\')`, {
      session,
      sessionStart: `${escapeLike(session)}%`,
    });
  }
  if (exceptSession) add('d.session_id IS NOT $exceptSession', { exceptSession });
  if (branch) add('d.session_id IN (SELECT id FROM sessions WHERE branch = $branch)', { branch });
  if (concept) {
    add(
      `d.kind = 'observation' AND EXISTS (SELECT 1 FROM observations o, json_each(o.concepts) c
         WHERE o.id = d.ref AND c.value = $concept COLLATE NOCASE)`,
      { concept },
    );
  }
  if (file) {
    const path = file.replaceAll('\\', '/').replace(/^\.\//, '');
    add(
      `EXISTS (SELECT 1 FROM ${FILES_OF_DOCUMENT} WHERE f.value = $file OR f.value LIKE $fileEnd ESCAPE '\\'
        OR substr($file, -length(f.value) - 1) = '/' || f.value)`,
      { file: path, fileEnd: `%/${escapeLike(path)}` },
    );
  }
  return { sql: parts.join(' AND ') || '1', values, isEmpty: parts.length === 0 };
}

const FILES_OF_DOCUMENT = `(
  SELECT value FROM observations o, json_each(o.files_modified) WHERE d.kind = 'observation' AND o.id = d.ref
  UNION ALL SELECT value FROM observations o, json_each(o.files_read) WHERE d.kind = 'observation' AND o.id = d.ref
  UNION ALL SELECT value FROM summaries s, json_each(s.files_edited) WHERE d.kind = 'summary' AND s.id = d.ref
  UNION ALL SELECT value FROM summaries s, json_each(s.files_read) WHERE d.kind = 'summary' AND s.id = d.ref) f`;

const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&');

/** The documents that are asked. */
export type Scope = {
  /** Undefined: all of them. */
  accept: Accept | undefined;
  count: number;
};

/** Below so many documents, what has gone would be a large part of what is remembered. */
const SETTLED = 5000;
const MOST_REMEMBERED = 20;

/** The ids that filters let through; those of whole projects are remembered, since they only grow. */
export function createScopes(db: Database): (filters: Filters, condition: Condition) => Scope {
  const remembered = new Map<string, Scope & { upTo: number; accept: Accept }>();
  const listIds = ({ sql, values }: Condition, after = 0) =>
    db
      .query<unknown, [Record<string, string | number>]>(`SELECT d.id FROM documents d WHERE ${sql} AND d.id > $after`)
      .values({ ...values, after })
      .map(([id]) => id as number);

  const ofProjects = (projectIds: number[] | null) => {
    const key = JSON.stringify(projectIds);
    const before = remembered.get(key) ?? { upTo: 0, accept: new Uint8Array(0), count: 0 };
    const newer = listIds(toCondition({ projectIds }), before.upTo);
    if (newer.length === 0) return before;
    const upTo = newer.reduce((most, id) => Math.max(most, id), before.upTo);
    const scope = { upTo, accept: acceptDocuments(newer, before.accept), count: before.count + newer.length };
    if (remembered.size > MOST_REMEMBERED) remembered.clear();
    remembered.set(key, scope);
    return scope;
  };

  return (filters, condition) => {
    const { projectIds, exceptSession, ...rest } = filters;
    const isNarrow = Object.values(rest).some((value) => value !== undefined && value !== '');
    if (isNarrow || newestDocumentId(db) < SETTLED) {
      const ids = listIds(condition);
      return { accept: acceptDocuments(ids), count: ids.length };
    }
    const { accept, count } = ofProjects(projectIds);
    if (!exceptSession) return { accept, count };
    // One session is a few documents to take out.
    const own = listIds({ sql: 'd.session_id = $session', values: { session: exceptSession }, isEmpty: false });
    const left = accept.slice();
    for (const id of own) left[id >> 3] = (left[id >> 3] ?? 0) & ~(1 << (id & 7));
    return { accept: left, count: count - own.filter((id) => isAccepted(accept, id)).length };
  };
}
