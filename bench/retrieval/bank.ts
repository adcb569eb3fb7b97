// A store filled with a benchmark's texts through the product's own doors, indexed and searched by the product.
import type { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createFileLog } from '../../src/log.ts';
import type { Embedder } from '../../src/search/embed/embedder.ts';
import { createFinder, type Finder } from '../../src/search/find.ts';
import { createIndexer, type Indexer } from '../../src/search/indexer.ts';
import { createScanKernel } from '../../src/search/vectors/kernel.ts';
import { createDocumentSource } from '../../src/store/index/document-source.ts';
import { openIndex } from '../../src/store/index/index-db.ts';
import { insertObservation } from '../../src/store/memories/observations.ts';
import { openStore } from '../../src/store/open.ts';
import { ensureProject, type Project } from '../../src/store/projects/projects.ts';
import { insertPrompt } from '../../src/store/sessions/prompts.ts';
import { ensureSession } from '../../src/store/sessions/sessions.ts';
import { EMPTY_OBSERVATION } from '../../test/support/memories.ts';

export const ASSETS = resolve(import.meta.dir, '../../dist/embed');

export type Conversation = { project: string; id: string; at: number; turns: string[] };
export type Note = { project: string; id: string; at: number; title: string | null; text: string };

export type Bank = {
  db: Database;
  addConversation: (conversation: Conversation) => { sessionId: number; promptIds: number[] };
  /** Returns the observation's id. */
  addNote: (note: Note) => number;
  projectId: (name: string) => number;
  /** Embeds everything, then searches with it; without an embedder by words alone. */
  index: (embedder: Embedder | null) => Promise<Finder>;
  close: () => Promise<void>;
};

/** Turns of a conversation come one minute after the other. */
const TURN_MS = 60_000;

export function createBank(): Bank {
  const folder = mkdtempSync(join(tmpdir(), 'cmem-bank-'));
  const db = openStore(join(folder, 'memory.db'));
  // Thrown away afterwards: nothing needs to survive a power cut.
  db.run('PRAGMA synchronous = OFF');
  const log = createFileLog(folder, 'error');
  const projects = new Map<string, Project>();
  const open: { indexer: Indexer; index: Database }[] = [];

  const project = (name: string) => {
    const known = projects.get(name);
    if (known) return known;
    const made = ensureProject(db, { key: name, name, root: `/${name}`, remote: null }, 0);
    projects.set(name, made);
    return made;
  };
  const session = (of: { project: string; id: string; at: number }) => {
    const { id: projectId, root } = project(of.project);
    const place = { host: 'bench', projectId, cwd: root, root, branch: null };
    return ensureSession(db, { ...place, hostSessionId: of.id, at: of.at }).id;
  };

  return {
    db,
    projectId: (name) => project(name).id,
    addConversation: (conversation) =>
      db.transaction(() => {
        const sessionId = session(conversation);
        for (const [at, text] of conversation.turns.entries()) {
          const time = conversation.at + at * TURN_MS;
          insertPrompt(db, { sessionId, promptNumber: at + 1, promptId: null, text, isPrivate: false, at: time });
        }
        const promptIds = db
          .query<{ id: number }, [number]>('SELECT id FROM prompts WHERE session_id = ? ORDER BY prompt_number')
          .all(sessionId)
          .map(({ id }) => id);
        return { sessionId, promptIds };
      })(),
    addNote: (note) =>
      db.transaction(() => {
        const owner = { sessionId: session(note), projectId: project(note.project).id, promptNumber: 1 };
        return insertObservation(
          db,
          { ...owner, batchId: null, isProvisional: false },
          { ...EMPTY_OBSERVATION, title: note.title, narrative: note.text, at: note.at },
        );
      })(),
    async index(embedder) {
      if (!embedder) return createFinder({ db, models: () => [], clock: Date.now });
      const index = openIndex(join(folder, `${embedder.id}.db`));
      index.run('PRAGMA synchronous = OFF');
      const indexer = createIndexer({
        db: index,
        source: createDocumentSource(db),
        kernel: createScanKernel(join(ASSETS, 'scan.wasm')),
        embedders: [{ embedder, pace: { parts: 32, isCapped: false } }],
        kept: [],
        log,
        clock: Date.now,
        onBroken: (error) => {
          throw error;
        },
      });
      open.push({ indexer, index });
      indexer.wake();
      while (!indexer.models().every((model) => model.isComplete())) await Bun.sleep(20);
      return createFinder({ db, models: indexer.models, clock: Date.now });
    },
    async close() {
      for (const { indexer, index } of open) {
        await indexer.close();
        index.close(true);
      }
      db.close(true);
      rmSync(folder, { recursive: true });
    },
  };
}
