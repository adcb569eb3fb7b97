// The door to the memories and to HTTP, loaded when somebody asks, or a moment after the start: hooks come first.
import type { Ingested } from './intake/ingest.ts';
import type { MemoryDoor, MemoryDoorDeps } from './memory-door.ts';

export type LazyMemories = {
  open: () => Promise<MemoryDoor>;
  openSoon: () => void;
  /** Somebody will ask in a moment. */
  warm: () => Promise<void>;
  /** Something was stored or dropped; before it is open nothing needs to know. */
  wake: () => void;
  /** Something came in by a hook: whoever watches hears of it. */
  noteIngested: (ingested: Ingested) => void;
  /** Where the viewer is; null when there is no web door. */
  webAddress: () => string | null;
  connections: () => number;
  /** Something happened in this folder: its git log is looked at soon. */
  noteProject: (cwd: string) => void;
  hasWork: () => boolean;
  close: () => Promise<void>;
};

/** Long enough for the hooks that started the worker. */
const SOON_MS = 300;

export function createLazyMemories(deps: MemoryDoorDeps): LazyMemories {
  let opening: Promise<MemoryDoor> | null = null;
  let door: MemoryDoor | null = null;
  let timer: Timer | null = null;
  const waiting = new Set<string>();

  const load = async () => {
    const { openMemoryDoor } = await import('./memory-door.ts');
    door = openMemoryDoor(deps);
    for (const cwd of waiting) door.git.noteProject(cwd);
    waiting.clear();
    return door;
  };
  const open = () => {
    opening ??= load();
    return opening;
  };

  return {
    open,
    openSoon: () => {
      timer = setTimeout(() => {
        open().catch((error) => deps.log.error('search cannot be used', { error: String(error) }));
      }, SOON_MS);
    },
    warm: async () => (await open()).warm(),
    wake: () => door?.wake(),
    noteIngested: (ingested) => door?.noteIngested(ingested),
    // Before it is open it is known where it will be.
    webAddress: () => (door ? door.webAddress() : (deps.held?.address ?? null)),
    connections: () => door?.connections() ?? 0,
    noteProject: (cwd) => {
      if (door) return door.git.noteProject(cwd);
      waiting.add(cwd);
    },
    hasWork: () => door?.hasWork() ?? false,
    close: async () => {
      if (timer) clearTimeout(timer);
      await opening?.catch(() => null);
      if (!door) deps.held?.release();
      await door?.close();
    },
  };
}
