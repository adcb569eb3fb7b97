// The memory as the tools see it, answering the same to all, and what it was asked.
import type { ToolDeps } from '../../src/mcp/tool.ts';
import { makeMemory, makeRow } from '../support/memory-rows.ts';

export function createFakeCalls(more: Partial<ToolDeps['calls']> = {}) {
  const asked: [string, unknown][] = [];
  const hit = (id: string) => ({ ...makeRow(id), score: 1, alike: [], sameTurn: [] });
  const calls: ToolDeps['calls'] = {
    search: async () => ({ results: [hit('1'), hit('2')], total: 57, limit: 40, offset: 0, project: 'shop', note: null }),
    readTimeline: async () => ({ anchor: '2', items: [makeRow('1'), makeRow('2')], record: null, note: null }),
    readMemories: async (ids) => ({ memories: ids.map((id) => makeMemory(id)), missing: [] }),
    readFileHistory: async ({ path }) => ({
      path,
      earlierNames: ['src/old.ts'],
      results: [
        { ...makeRow('3'), did: 'changed' },
        { ...makeRow('4'), did: 'read' },
      ],
      total: 2,
      limit: 40,
      offset: 0,
    }),
    remember: async () => ({ id: '9', title: 'Tuesdays', project: 'shop', isNew: true }),
    hide: async (ids) => ({ state: 'hidden', ids, next: 'confirm' }),
    ...more,
  };
  const noted = Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      (parameters: never) => {
        asked.push([name, parameters]);
        return call(parameters);
      },
    ]),
    // The same functions, each with a note taken before it.
  ) as ToolDeps['calls'];
  return { calls: noted, asked };
}
