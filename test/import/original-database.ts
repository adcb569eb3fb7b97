// Databases as the versions of the other program left them: tables by their columns, rows by what they hold.
import { Database } from 'bun:sqlite';

export type PeerRow = Record<string, string | number | null>;
export type PeerContents = Record<string, PeerRow[]>;

const TIMES = ['created_at', 'created_at_epoch'];
const SUMMED_UP = ['request', 'investigated', 'learned', 'completed', 'next_steps', 'files_read', 'files_edited', 'notes'];
const STARTED = ['project', 'user_prompt', 'started_at', 'started_at_epoch', 'completed_at', 'completed_at_epoch', 'status'];
const TOLD = ['title', 'subtitle', 'facts', 'narrative', 'concepts', 'files_read', 'files_modified', 'prompt_number'];

export const GENERATIONS: Record<string, Record<string, string[]>> = {
  'version 4': {
    sdk_sessions: ['claude_session_id', 'sdk_session_id', ...STARTED],
    observations: ['sdk_session_id', 'project', 'text', 'type', ...TIMES],
    session_summaries: ['sdk_session_id', 'project', ...SUMMED_UP, ...TIMES],
  },
  'version 6': {
    sdk_sessions: ['claude_session_id', 'sdk_session_id', ...STARTED, 'worker_port', 'prompt_counter'],
    observations: ['sdk_session_id', 'project', 'text', 'type', ...TOLD, 'discovery_tokens', ...TIMES],
    session_summaries: ['sdk_session_id', 'project', ...SUMMED_UP, 'prompt_number', 'discovery_tokens', ...TIMES],
    user_prompts: ['claude_session_id', 'prompt_number', 'prompt_text', ...TIMES],
  },
  'version 10': {
    sdk_sessions: ['content_session_id', 'memory_session_id', ...STARTED, 'worker_port', 'prompt_counter', 'custom_title'],
    observations: ['memory_session_id', 'project', 'text', 'type', ...TOLD, 'discovery_tokens', ...TIMES, 'content_hash'],
    session_summaries: ['memory_session_id', 'project', ...SUMMED_UP, 'prompt_number', 'discovery_tokens', ...TIMES],
    user_prompts: ['content_session_id', 'prompt_number', 'prompt_text', ...TIMES],
  },
  'version 13': {
    sdk_sessions: ['content_session_id', 'memory_session_id', 'platform_source', ...STARTED, 'prompt_counter', 'custom_title'],
    observations: [
      ...['memory_session_id', 'project', 'text', 'type', ...TOLD, 'discovery_tokens', ...TIMES, 'content_hash'],
      ...['generated_by_model', 'relevance_count', 'merged_into_project', 'agent_type', 'agent_id', 'metadata'],
    ],
    session_summaries: ['memory_session_id', 'project', ...SUMMED_UP, 'prompt_number', ...TIMES, 'merged_into_project'],
    user_prompts: ['session_db_id', 'content_session_id', 'prompt_number', 'prompt_text', ...TIMES],
  },
};

/** The columns that are not given are NULL. */
export function writePeer(path: string, tables: Record<string, string[]>, contents: PeerContents): void {
  const db = new Database(path, { create: true });
  db.run('CREATE TABLE schema_versions (id INTEGER PRIMARY KEY, version INTEGER, applied_at TEXT)');
  db.run("INSERT INTO schema_versions VALUES (1, 4, '2025-10-20T08:00:00.000Z')");
  for (const [table, columns] of Object.entries(tables))
    db.run(`CREATE TABLE ${table} (id INTEGER PRIMARY KEY AUTOINCREMENT, ${columns.join(', ')})`);
  fillPeer(db, contents);
  db.close(true);
}

export function fillPeer(db: Database, contents: PeerContents): void {
  db.transaction(() => {
    for (const [table, rows] of Object.entries(contents))
      for (const row of rows) {
        const names = Object.keys(row);
        const values = names.map((name) => `$${name}`).join(', ');
        db.query(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${values})`).run(
          Object.fromEntries(Object.entries(row).map(([name, value]) => [`$${name}`, value])),
        );
      }
  })();
}

export const T = Date.parse('2025-11-05T09:00:00.000Z');
export const MINUTE = 60_000;

export const times = (minutes: number) => ({
  created_at: new Date(T + minutes * MINUTE).toISOString(),
  created_at_epoch: T + minutes * MINUTE,
});
const started = (minutes: number) => ({ started_at: new Date(T + minutes * MINUTE).toISOString(), started_at_epoch: T + minutes * MINUTE });

/** One session with a prompt, an observation and a summary, in the words of version 10. */
export const ONE_SESSION: PeerContents = {
  sdk_sessions: [
    {
      content_session_id: 'c-1',
      memory_session_id: 'm-1',
      project: 'shop',
      user_prompt: 'Why are carts empty after login?',
      ...started(0),
      status: 'completed',
      completed_at: new Date(T + 30 * MINUTE).toISOString(),
      completed_at_epoch: T + 30 * MINUTE,
    },
  ],
  user_prompts: [{ content_session_id: 'c-1', prompt_number: 1, prompt_text: 'Why are carts empty after login?', ...times(0) }],
  observations: [
    {
      memory_session_id: 'm-1',
      project: 'shop',
      type: 'bugfix',
      title: 'Carts survive the login',
      subtitle: 'The merge ran before the user was known',
      narrative: 'The cart of a guest was merged before the session had its user, so it went to nobody.',
      facts: '["mergeCart runs after login now","The test covers two devices"]',
      concepts: '["gotcha","session"]',
      files_read: '["src/login.ts"]',
      files_modified: '["src/cart.ts"]',
      prompt_number: 1,
      ...times(10),
    },
  ],
  session_summaries: [
    {
      memory_session_id: 'm-1',
      project: 'shop',
      request: 'Find out why carts are empty after login',
      investigated: 'The order of login and merge',
      learned: 'The merge ran too early',
      completed: 'The merge waits for the user',
      next_steps: 'Watch the error rate',
      files_read: '["src/login.ts"]',
      files_edited: '["src/cart.ts"]',
      prompt_number: 1,
      ...times(20),
    },
  ],
};
