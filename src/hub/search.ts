// `claude-mem team search`: what was published, found by its words, and by its meaning where PostgreSQL has pgvector.
import { parseJson } from '../core/plain-json.ts';
import { PublishedBody, type SearchAnswer } from '../core/shapes/sync.ts';
import type { Embedder } from '../search/embed/embedder.ts';
import { STATIC_ID } from '../search/embed/static.ts';
import { understands } from '../search/meaning.ts';
import { isInOtherLanguage } from '../search/stop-words.ts';
import type { Caller } from './accounts.ts';
import type { Row, Tx } from './storage.ts';

type Found = SearchAnswer['found'][number];

const MOST_FOUND = 20;
const FOUND = 's.id AS space, s.name AS project, m.name AS author, r.entity, r.payload';
const PUBLISHED = `FROM spaces s JOIN records r ON r.tenant = s.tenant AND r.space = s.id
  JOIN members m ON m.tenant = r.tenant AND m.id = r.member WHERE s.tenant = $1 AND s.owner IS NULL AND r.state = 'live'`;

/** The best first: what both find comes before what one does. `embedder`: for a model that every hub process has. */
export async function search(tx: Tx, caller: Caller, query: string, embedder: Embedder | null): Promise<SearchAnswer> {
  const byWords = await findByWords(tx, caller, query);
  const byMeaning = embedder && tx.hasMeaning && isReadable(query) ? await findByMeaning(tx, caller, query, embedder) : [];
  return { found: fuse([byWords, byMeaning]).slice(0, MOST_FOUND) };
}

/** To a model of English all that is said in another language is alike. */
const isReadable = (query: string) => understands(STATIC_ID, query) && !isInOtherLanguage(query);

/** Of two lists the first places count alike, and the later ones less and less. */
const FIRST = 60;

function fuse(lists: Found[][]): Found[] {
  const nameOf = ({ space, entity }: Found) => `${space} ${entity}`;
  const scores = new Map<string, number>();
  for (const list of lists)
    for (const [at, found] of list.entries()) scores.set(nameOf(found), (scores.get(nameOf(found)) ?? 0) + 1 / (FIRST + at));
  const all = new Map(lists.flat().map((found) => [nameOf(found), found]));
  return [...all.values()].sort((one, other) => (scores.get(nameOf(other)) ?? 0) - (scores.get(nameOf(one)) ?? 0));
}

async function findByWords(tx: Tx, { tenant }: Caller, query: string): Promise<Found[]> {
  const words = query.match(/[\p{L}\p{N}_]+/gu)?.slice(0, 12) ?? [];
  const { where, rank } = tx.matching?.('$2') ?? {
    where: words.map((_, at) => `lower(r.payload) LIKE $${at + 2}`).join(' AND ') || '1 = 0',
    rank: 'r.pos',
  };
  const rows = await tx.all(`SELECT ${FOUND} ${PUBLISHED} AND ${where} ORDER BY ${rank} DESC, r.pos DESC LIMIT ${MOST_FOUND}`, [
    tenant,
    ...(tx.matching ? [query] : words.map((word) => `%${word.toLowerCase()}%`)),
  ]);
  return rows.map(readFound);
}

/** The cosine from which on a memory of a machine convinces by its meaning alone: docs/retrieval.md. */
const NEAR = 0.45;

/** Every vector is looked at: a team has some ten thousand. */
async function findByMeaning(tx: Tx, caller: Caller, query: string, embedder: Embedder): Promise<Found[]> {
  await learnMeanings(tx, caller, embedder);
  const [asked] = await embedder.embed([query], 'query');
  const rows = await tx.all(
    `SELECT ${FOUND} ${PUBLISHED} AND r.meaning <=> CAST(CAST($2 AS text) AS vector) < ${1 - NEAR}
     ORDER BY r.meaning <=> CAST(CAST($2 AS text) AS vector), r.pos DESC LIMIT ${MOST_FOUND}`,
    [caller.tenant, writeVector(asked)],
  );
  return rows.map(readFound);
}

/** A tenth of a millisecond each, once: whoever searches first pays for what came since, and who never searches pays nothing. */
const AT_ONCE = 100;
const MOST_LEARNED = 2000;

async function learnMeanings(tx: Tx, { tenant }: Caller, embedder: Embedder): Promise<void> {
  for (let learned = 0; learned < MOST_LEARNED; learned += AT_ONCE) {
    const rows = await tx.all(`SELECT ${FOUND} ${PUBLISHED} AND r.meaning IS NULL LIMIT ${AT_ONCE}`, [tenant]);
    if (rows.length === 0) return;
    const all = rows.map(readFound);
    const vectors = await embedder.embed(
      all.map(({ title, text }) => `${title}\n${text}`),
      'document',
    );
    const said = all.map(({ space, entity }, at) => ({ space, entity, meaning: writeVector(vectors[at]) }));
    await tx.all(
      `UPDATE records r SET meaning = CAST(said.meaning AS vector)
       FROM jsonb_to_recordset(CAST(CAST($2 AS text) AS jsonb)) AS said (space text, entity text, meaning text)
       WHERE r.tenant = $1 AND r.space = said.space AND r.entity = said.entity AND r.state = 'live'`,
      [tenant, JSON.stringify(said)],
    );
  }
}

const writeVector = (vector: Int8Array | undefined) => `[${(vector ?? new Int8Array()).join(',')}]`;

const readFound = (row: Row): Found => ({
  ...{ space: String(row.space), project: String(row.project), author: String(row.author), entity: String(row.entity) },
  ...readWords(String(row.payload)),
});

/** Whatever a member sends can be stored: what is no JSON has no words. */
function readWords(payload: string): { title: string; text: string } {
  const said = PublishedBody.safeParse(parseJson(payload)).data?.fields.words;
  return { title: said?.title ?? '', text: said?.narrative ?? '' };
}
