// Brings in what another claude-mem kept: its sessions, prompts, observations and summaries, each once, with its own date.
import type { Database } from 'bun:sqlite';
import { existsSync } from 'node:fs';
import { z } from 'zod';
import { AskError } from '../../core/ask-error.ts';
import { damaged, openPeerFile, PEER_NAME, type PeerFile } from '../../importer/peer/open-peer.ts';
import type { PeerMemory } from '../../importer/peer/peer-memory.ts';
import { countPeerRows, readPeer } from '../../importer/peer/read-peer.ts';
import type { JobControl, RunJob } from '../jobs/job.ts';
import type { DoorSettings } from '../silence/leave-out.ts';
import { createPeerIntake, type PeerIntake } from './peer-intake.ts';

export type PeerImportDeps = {
  db: Database;
  door: () => DoorSettings;
  /** Where a copy of the file may lie for a moment. */
  dataDir: string;
  clock: () => number;
  /** Something came in: it can be indexed. */
  onStored?: () => void;
};

const Parameters = z.object({ path: z.string().min(1), asMine: z.boolean().default(false) });

export const runPeerImport =
  (deps: PeerImportDeps): RunJob =>
  async (parameters, control) => {
    const { path, asMine } = Parameters.parse(parameters);
    const file = await openPeerFile(path, deps.dataDir);
    try {
      return await takeAll({ ...deps, asMine }, file, control);
    } catch (error) {
      if (error instanceof AskError || !isOfFile(error)) throw error;
      throw file.hasChanged() ? changed(path) : damaged(path, error);
    } finally {
      file.close();
    }
  };

/** Where it usually lies; null when there is none. `dataDir` is ours: the other program chooses its own by the same setting. */
export function findPeerDatabase(dataDir: string, home: string): string | null {
  const places = [`${dataDir}/${PEER_NAME}`, `${home}/.claude-mem/${PEER_NAME}`];
  return places.find((path) => existsSync(path)) ?? null;
}

/** So long the worker does nothing else. */
const SLICE_MS = 4;

async function takeAll(
  { db, door, clock, onStored, asMine }: PeerImportDeps & { asMine: boolean },
  file: PeerFile,
  control: JobControl,
) {
  const total = countPeerRows(file.db);
  const intake = createPeerIntake({ db, door, clock, asMine });
  const memories = readPeer(file.db, clock());
  let done = 0;
  for (let isOver = false; !isOver && !control.signal.aborted; ) {
    intake.begin();
    const taken = db.transaction(() => takeSlice(memories, intake)).immediate();
    done += taken.rows;
    isOver = taken.isOver;
    control.report({
      step: sayStep(taken.last),
      done: Math.min(done, total),
      total,
      unit: 'rows',
      counts: intake.counts(),
    });
    onStored?.();
    await control.pause();
  }
  const end = intake.say();
  if (control.signal.aborted)
    return [...end, 'It was stopped before its end: what came in stays, and the next time goes on from there.'];
  return file.hasChanged() ? [...end, 'The file changed meanwhile: import it again for what is new.'] : end;
}

/** Inside a transaction. The last of them are of the slice before: what is read is stored. */
function takeSlice(memories: Generator<PeerMemory>, { take, finish }: PeerIntake) {
  const end = performance.now() + SLICE_MS;
  let rows = 0;
  let last: PeerMemory['kind'] = 'session';
  do {
    const next = memories.next();
    if (next.done) {
      if (finish(end)) return { rows, last, isOver: true };
    } else {
      take(next.value);
      rows++;
      last = next.value.kind;
    }
  } while (performance.now() < end);
  return { rows, last, isOver: false };
}

const sayStep = (kind: PeerMemory['kind']) => (kind === 'summary' ? 'reading summaries' : `reading ${kind}s`);

const isOfFile = (error: unknown) =>
  error instanceof Error && 'code' in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code));

const changed = (path: string) =>
  new AskError(
    'conflict',
    `${path} was written while it was read.`,
    'Stop the program that it belongs to, and import it again: nothing comes in twice.',
  );
