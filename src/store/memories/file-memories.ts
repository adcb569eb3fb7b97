// Which memories read or changed a file, found by the words of its path.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import type { MemoryKind } from '../../core/memory.ts';

export type FileMemory = { kind: MemoryKind; id: number; at: number; changed: string[]; read: string[] };

/** Those that name a file whose path holds these words side by side, newest first. The caller looks at the paths themselves. */
export function listFileMemories(db: Database, paths: string[], projectIds: number[] | null): FileMemory[] {
  const wanted = paths.filter((path) => /[\p{L}\p{N}]/u.test(path));
  if (wanted.length === 0) return [];
  return db
    .query<Row, [Record<string, string>]>(
      `SELECT d.kind, d.ref AS id, d.at, coalesce(o.files_modified, s.files_edited) AS changed,
         coalesce(o.files_read, s.files_read) AS read
       FROM words JOIN documents d ON d.id = words.rowid
         LEFT JOIN observations o ON d.kind = 'observation' AND o.id = d.ref
         LEFT JOIN summaries s ON d.kind = 'summary' AND s.id = d.ref
       WHERE words MATCH $match AND d.kind <> 'prompt'
         ${projectIds ? 'AND d.project_id IN (SELECT value FROM json_each($projects))' : ''}
       ORDER BY d.at DESC, d.id DESC`,
    )
    .all({
      match: `files : (${wanted.map(quote).join(' OR ')})`,
      ...(projectIds ? { projects: JSON.stringify(projectIds) } : {}),
    })
    .map((row) => ({ ...row, changed: readTexts(row.changed), read: readTexts(row.read) }));
}

type Row = { kind: MemoryKind; id: number; at: number; changed: string; read: string };

/** A phrase: its words as the tokenizer sees them, in this order. */
const quote = (path: string) => `"${path.replaceAll('"', '""').replaceAll('\0', ' ')}"`;

const Texts = z.array(z.string());
const readTexts = (json: string) => Texts.parse(JSON.parse(json));
