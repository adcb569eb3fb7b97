// What a session would be told from a store, with the code around it as a test wants it.
import type { Database } from 'bun:sqlite';
import { loadConfig } from '../../src/config.ts';
import type { ContextSettings } from '../../src/context/gather.ts';
import type { Surroundings } from '../../src/context/surroundings.ts';
import { type Told, tellSession } from '../../src/context/tell.ts';
import type { Freshness, FreshnessWord } from '../../src/core/evidence.ts';
import { hashParts } from '../../src/core/ids.ts';

export type Circumstances = Partial<Omit<Parameters<typeof tellSession>[1], 'settings' | 'surroundings' | 'project'>> & {
  projectId?: number;
  settings?: Partial<ContextSettings>;
  surroundings?: Partial<Surroundings>;
  /** By the id of an observation; fresh unless it says otherwise. */
  states?: Map<number, FreshnessWord>;
};

export const DEFAULTS = loadConfig('/nowhere/config.json', {}).config;

export function tell(db: Database, circumstances: Circumstances = {}): Promise<Told> {
  const { projectId = 1, settings, surroundings, states, ...query } = circumstances;
  const state = (word: FreshnessWord): Freshness => ({ word, renamed: [] });
  return tellSession(
    { db, checkFreshness: async (observations) => new Map(observations.map(({ id }) => [id, state(states?.get(id) ?? 'fresh')])) },
    {
      project: { id: projectId, name: 'shop' },
      sessionId: 0,
      since: null,
      settings: { ...DEFAULTS, ...settings },
      surroundings: {
        root: '/home/dev/shop',
        branch: null,
        dirty: new Set(),
        recent: new Set(),
        isSaid: () => false,
        isExcluded: () => false,
        stamp: null,
        ...surroundings,
      },
      ...query,
    },
  );
}

/** The ids of the records in a block, as a reader of its lines finds them. Throws when the block is not whole. */
export function parseBlock(block: string): string[] {
  const [open = '', ...rest] = block.split('\n');
  const close = rest.pop();
  const nonce = /^<claude-mem-context id="([0-9a-f]{8})">$/.exec(open)?.[1];
  if (!nonce || close !== '</claude-mem-context>') throw new Error(`not a block: ${open} … ${close}`);
  if (hashParts([rest.join('\n')]).slice(0, 8) !== nonce) throw new Error('the nonce is not that of the text');
  if (/<\s*\/?\s*(?:claude-mem-context|private|system-reminder)/i.test(rest.join('\n'))) throw new Error('a tag of a frame inside');
  return rest.flatMap((line) => /^#([SP]?\d+) /.exec(line)?.[1] ?? []);
}
