// A store filled with a benchmark's texts: conversations as transcripts through the door that everything comes in by, notes as memories; indexed and searched by the product.

import type { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { claudeCode } from '../../src/agents/claude-code/agent.ts';
import { ensureSession, findSession } from '../../src/capture/sessions.ts';
import { takeSession } from '../../src/capture/take-session.ts';
import { findSession as findTranscripts } from '../../src/capture/transcript-files.ts';
import type { MemoryKind } from '../../src/core/memory.ts';
import { createFileLog } from '../../src/log.ts';
import { insertObservation } from '../../src/memory/observations.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { ensureProject, type Project } from '../../src/projects/projects.ts';
import type { Embedder } from '../../src/search/embed/embedder.ts';
import { createFinder, type Finder } from '../../src/search/find.ts';
import { openIndex } from '../../src/search/index-db.ts';
import { Indexer } from '../../src/search/indexer.ts';
import { openStore } from '../../src/store/open.ts';
import { CAPTURE_ALL } from '../../test/support/capture-settings.ts';
import { createLines } from '../../test/support/claude-lines.ts';
import { EMPTY_OBSERVATION } from '../../test/support/memories.ts';
import { byRules } from '../../test/support/store.ts';
import { toLines } from '../../test/support/transcript.ts';

export const ASSETS = resolve(import.meta.dir, '../../dist/embed');

/** `isAgent`: said by the agent, in answer; else by a person. */
export type Spoken = { text: string; isAgent: boolean };
export type Conversation = { project: string; id: string; at: number; turns: Spoken[] };
export type Note = {
  project: string;
  id: string;
  at: number;
  title: string | null;
  text: string;
  keywords?: string | null;
};

export type Bank = {
  db: Database;
  /** With the prompt that each of its turns is found by. */
  addConversation: (conversation: Conversation) => Promise<{ sessionId: number; promptIds: number[] }>;
  /** The prompt of the turn that a memory is of: an answer, its summary and its observations are found with what was asked. */
  promptOf: (kind: MemoryKind, ref: number) => number | null;
  /** Returns the observation's id. */
  addNote: (note: Note) => number;
  projectId: (name: string) => number;
  /** Embeds everything, then searches with it; without an embedder by words alone. */
  index: (embedder: Embedder | null) => Promise<Finder>;
  close: () => Promise<void>;
};

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
    projectId: (name) => {
      const read = db.query<{ id: number }, [string]>('SELECT id FROM projects WHERE root = ?').get(`/${name}`);
      return read?.id ?? project(name).id;
    },
    addConversation: (conversation) => readConversation(db, folder, conversation),
    promptOf: (kind, ref) =>
      kind === 'prompt'
        ? ref
        : (db
            .query<{ id: number }, [number]>(
              `SELECT p.id FROM prompts p JOIN ${TABLE_OF[kind]} m USING (session_id, prompt_number) WHERE m.id = ?`,
            )
            .get(ref)?.id ?? null),
    addNote: (note) =>
      db.transaction(() => {
        const owner = { sessionId: session(note), projectId: project(note.project).id, promptNumber: 1 };
        return insertObservation(
          db,
          { ...owner, batchId: null, isProvisional: false },
          {
            ...EMPTY_OBSERVATION,
            title: note.title,
            narrative: note.text,
            keywords: note.keywords ?? null,
            at: note.at,
          },
        );
      })(),
    async index(embedder) {
      if (!embedder) return createFinder({ db, models: () => [], clock: Date.now });
      const index = openIndex(join(folder, `${embedder.id}.db`));
      index.run('PRAGMA synchronous = OFF');
      const indexer = new Indexer({
        db: index,
        memory: db,
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

const TABLE_OF = { observation: 'observations', summary: 'summaries' };

/** As an import does it: the transcript that the agent would have written, each turn processed by rules. */
async function readConversation(db: Database, folder: string, { project, id, at, turns }: Conversation) {
  const session = id.replace(/[^\w-]/g, '_');
  const path = join(folder, `${session}.jsonl`);
  writeFileSync(path, toLines(transcriptOf(turns, createLines({ session, cwd: `/${project}`, from: at }))));
  const found = await findTranscripts(claudeCode, path);
  if (!found) throw new Error(`no transcript: ${path}`);
  const deps = { db, options: () => CAPTURE_ALL, clock: () => at, pause: () => Promise.resolve() };
  await takeSession(found, deps, { isOver: true, isEnd: true });
  const sessionId = findSession(db, session)?.id ?? 0;
  while (processTurn(db, sessionId, byRules(observeBatch)).kind === 'observed');
  rmSync(path);
  return { sessionId, promptIds: promptsOfTurns(db, sessionId, turns) };
}

function transcriptOf(turns: Spoken[], lines: ReturnType<typeof createLines>): object[] {
  return turns.map(({ text, isAgent }, at) => {
    if (!isAgent) return lines.prompt(text, `${lines.line('user', null).sessionId}-${at}`);
    // What the agent says before it says more is no end of its turn.
    return lines.say(text, turns[at + 1]?.isAgent ? 'tool_use' : 'end_turn');
  });
}

function promptsOfTurns(db: Database, sessionId: number, turns: Spoken[]): number[] {
  const prompts = db.query<{ id: number }, [number]>('SELECT id FROM prompts WHERE session_id = ? ORDER BY prompt_number').all(sessionId);
  const asked = turns.filter(({ isAgent }) => !isAgent).length;
  if (prompts.length !== asked) throw new Error(`${prompts.length} of ${asked} prompts of session ${sessionId} came in`);
  let count = 0;
  return turns.map(({ isAgent }) => {
    if (!isAgent) count++;
    return prompts[count - 1]?.id ?? 0;
  });
}
