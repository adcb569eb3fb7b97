// A day of questions: a vector index compared and chosen, one record written, a question about the code, listings, small talk.
import { playDay } from './day.ts';
import { bash, end, glob, grep, prompt, read, stop, write } from './steps.ts';
import { subagent, webFetch, webSearch } from './talk.ts';

export const research = playDay({
  name: 'research',
  root: '/home/dev/findit',
  startsAt: '2026-05-19T09:00:00Z',
  sessions: [
    [
      prompt(
        'which vector index should we use for 5 million embeddings (768 dims) on one 32 GB box? we are on postgres 16. research only, no code',
      ),
      glob('docs/**/*.md', ['docs/adr/0001-record.md', 'docs/adr/0006-search-api.md', 'docs/architecture.md']),
      read(
        'docs/architecture.md',
        '# Architecture\n\nPostgres 16 holds documents and users. One application server. Backups nightly by pgBackRest.',
      ),
      webSearch(
        'pgvector hnsw vs ivfflat 5 million 768 dimensions memory recall',
        [
          ['pgvector README', 'https://github.com/pgvector/pgvector'],
          ['HNSW or IVFFlat', 'https://example.org/blog/hnsw-ivfflat'],
        ],
        'HNSW has better query performance than IVFFlat (speed-recall tradeoff) but slower build times and uses more memory. IVFFlat needs training data and should be rebuilt when the data shifts.',
      ),
      webFetch(
        'https://github.com/pgvector/pgvector',
        'Memory needs and limits of HNSW',
        'Indexes build significantly faster when the graph fits into maintenance_work_mem. vector supports up to 2,000 dimensions, halfvec up to 4,000. halfvec halves the storage.',
      ),
      subagent({
        description: 'Compare Qdrant and pgvector',
        prompt:
          'Compare running Qdrant beside Postgres with pgvector HNSW for 5M vectors of 768 dims on one box: operations, memory, recall, filters.',
        steps: [
          webSearch(
            'qdrant vs pgvector single node 5M',
            [['Qdrant benchmarks', 'https://qdrant.tech/benchmarks/']],
            'Qdrant reaches about 1.5x the throughput at the same recall.',
          ),
          webFetch(
            'https://qdrant.tech/documentation/guides/capacity-planning/',
            'Memory for 5M x 768',
            'memory_size = number_of_vectors * vector_dimension * 4 bytes * 1.5, so about 23 GB.',
          ),
        ],
        report:
          'Qdrant: about 23 GB for 5M x 768 in memory, 1.5x the queries per second of pgvector at equal recall, but a second system to back up and keep in sync. pgvector HNSW with halfvec: about 11 GB index, recall 0.97 at ef_search 100, filters in SQL. For one box and under 100 queries/s pgvector is enough.',
      }),
      subagent({
        description: 'Find IVFFlat experience',
        prompt: 'Find reports of IVFFlat with more than 1M vectors: recall over time, rebuilds.',
        steps: [
          webSearch(
            'ivfflat recall degrades after inserts',
            [['Issue 259', 'https://github.com/pgvector/pgvector/issues/259']],
            'Several users report recall dropping after many inserts until the index is rebuilt.',
          ),
        ],
        report:
          'IVFFlat: recall fell from 0.95 to 0.86 after 30% new rows without a rebuild. A rebuild on 5M rows takes 40 minutes and must be scheduled.',
      }),
      stop(`
        # Vector index for 5M × 768

        | | index size | recall | extra system |
        |---|---|---|---|
        | pgvector HNSW, halfvec | ~11 GB | 0.97 | no |
        | pgvector IVFFlat | ~8 GB | 0.86–0.95 | no |
        | Qdrant | ~23 GB | 0.97 | yes |

        **Findings**
        - pgvector HNSW with \`halfvec\` fits into 32 GB with room for Postgres (about 11 GB)
        - IVFFlat is ruled out: recall drops to 0.86 as rows are added and it needs scheduled rebuilds
        - Qdrant is about 1.5x faster but a second system to back up

        My recommendation is pgvector HNSW. Shall I write it down as an ADR?`),
      prompt('agreed: pgvector with HNSW, no separate vector db, I do not want a second thing to back up. yes write the ADR'),
      read('docs/adr/0006-search-api.md', '# 6. Search API\n\nStatus: accepted\n\n## Context\n…\n\n## Decision\n…\n\n## Consequences\n…'),
      write(
        'docs/adr/0007-vector-index.md',
        `
        # 7. Vector index

        Status: accepted

        ## Context
        5 million embeddings of 768 dimensions, one 32 GB server, Postgres 16.

        ## Decision
        pgvector with an HNSW index over halfvec(768). No separate vector database.

        ## Consequences
        About 11 GB of index. IVFFlat was ruled out (recall 0.86 after inserts), Qdrant would be a second system to back up.`,
      ),
      bash('git add docs && git commit -qm "ADR 7: pgvector with HNSW"', 'Commit'),
      stop(
        'ADR 0007 is written and committed. Before we build on it, we should measure recall and latency on our own embeddings, the numbers so far are from other people. `maintenance_work_mem` also has to go up to about 12 GB for the index build.',
      ),
      end('other'),
    ],
    [
      prompt('how is /search authenticated at the moment? somebody asked'),
      grep('/search', ['src/routes/search.ts', 'src/server.ts', 'test/search.test.ts']),
      read('src/server.ts', "app.use('/admin', requireSession);\napp.use('/search', requireApiKey);\napp.listen(8080);"),
      grep(
        'requireApiKey',
        [],
        "src/auth/api-key.ts:9:export function requireApiKey(req, res, next) {\nsrc/server.ts:2:app.use('/search', requireApiKey);",
      ),
      read(
        'src/auth/api-key.ts',
        "export function requireApiKey(req, res, next) {\n  const key = req.get('x-api-key');\n  const found = keys.find((k) => timingSafeEqual(k.hash, sha256(key)));\n  if (!found) return res.status(401).end();\n  next();\n}",
      ),
      stop(
        '`/search` needs an API key in the `x-api-key` header: `requireApiKey` (src/auth/api-key.ts) compares its SHA-256 with the stored hashes in constant time and answers 401 otherwise. There is no rate limit and keys never expire. Sessions are only used for /admin.',
      ),
      prompt('show me the adrs and the last commits'),
      bash(
        'ls docs/adr',
        'List ADRs',
        '0001-record.md\n0002-postgres.md\n0003-no-orm.md\n0004-pgbackrest.md\n0005-locale.md\n0006-search-api.md\n0007-vector-index.md',
      ),
      bash(
        'git log --oneline -4',
        'Show commits',
        'c55e01a ADR 7: pgvector with HNSW\n8812f0d Search: highlight\n71b3c4e Upgrade express\n0fa9d21 Fix typo',
      ),
      stop('Seven ADRs (0001 to 0007); the last commits are c55e01a, 8812f0d, 71b3c4e and 0fa9d21.'),
      prompt('ok thanks, that is all for today, have a nice evening!'),
      stop('Thank you, have a nice evening too!'),
      end('other'),
    ],
  ],
  truths: {
    decisions: [
      {
        what: 'the user: pgvector HNSW, no separate vector database',
        mustMention: ['pgvector|hnsw', 'separate|second|vector db|vector database|qdrant'],
      },
    ],
    fixes: [],
    deadEnds: [{ what: 'IVFFlat: recall falls with inserts, needs rebuilds', mustMention: ['ivfflat', 'recall|rebuild'] }],
    nextSteps: [
      {
        what: 'measure on our own embeddings',
        mustMention: ['measure|recall|latency', 'own embeddings|our own|embeddings'],
        after: [1, 2],
      },
      { what: 'raise maintenance_work_mem', mustMention: ['maintenance_work_mem'], after: [1, 2] },
    ],
    others: [
      {
        what: 'comparison of the vector indexes',
        mustMention: ['pgvector|hnsw|vector index', 'halfvec|11 GB|qdrant|0.97|embeddings'],
        types: ['discovery'],
      },
      { what: 'ADR 0007 written', mustMention: ['0007|adr'], types: ['change', 'feature', 'decision'] },
      {
        what: '/search wants an API key, hashed',
        mustMention: ['search', 'api key|x-api-key|requireApiKey'],
        types: ['discovery'],
      },
    ],
    acceptable: [
      { what: 'Qdrant compared', mustMention: ['qdrant'], types: ['discovery', 'decision'] },
      { what: 'no rate limit, keys never expire', mustMention: ['never expire|no rate limit'] },
      { what: 'recommendation of the agent', mustMention: ['recommend'] },
      { what: 'offer to write the ADR', mustMention: ['adr'], types: [] },
    ],
  },
});
