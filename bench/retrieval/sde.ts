// sde-bench: a bug report → the conversation that holds the decision, among those of all tasks and all decoys.
import { z } from 'zod';
import type { Finder } from '../../src/search/find.ts';
import { searchSessions } from '../../src/search/search-sessions.ts';
import { createBank } from './bank.ts';
import { firstRank, type Loaded } from './measure.ts';
import { readData } from './read-data.ts';

const Turns = z.array(z.object({ role: z.enum(['user', 'assistant']), text: z.string() }));
export const Sde = z.object({
  tasks: z.array(
    z.object({
      task_id: z.string(),
      source: z.string(),
      bug_report: z.string(),
      conversations: z.array(Turns).optional(),
      decision_subject: z.string().optional(),
      decision_rationale: z.string().optional(),
    }),
  ),
  decoys: z.array(z.object({ id: z.string(), turns: Turns })),
});

export type SdeResult = {
  r1: number;
  r5: number;
  amended: number;
  n: number;
  amendedOf: number;
  /** Counted by the task's own conversations alone: twin tasks ask the same question word for word, so only one of them can win. */
  ownR1: number;
  ownR1AtMost: number;
};

const FIRST_DAY = Date.parse('2026-01-05T09:00:00Z');
const DAY_MS = 86_400_000;

/**
 * One project with every conversation, a day apart: decoys, the first conversations, then the amendments. Right is a conversation
 * that holds the decision: of any task with this bug report, without those that were amended later.
 */
export async function loadSde(dataDir: string): Promise<Loaded<SdeResult> | null> {
  const data = readData(dataDir, 'sde-bench.json', Sde);
  if (!data) return null;
  const tasks = data.tasks.filter((task) => task.conversations?.length);
  const bank = createBank();
  let day = 0;
  const add = async (id: string, turns: z.output<typeof Turns>) => {
    const spoken = turns.map(({ role, text }) => ({ text, isAgent: role === 'assistant' }));
    const added = await bank.addConversation({ project: 'sde', id, at: FIRST_DAY + day++ * DAY_MS, turns: spoken });
    return added.sessionId;
  };
  for (const { id, turns } of data.decoys) await add(id, turns);
  const sessions = new Map<string, number[]>(tasks.map(({ task_id }) => [task_id, []]));
  const most = Math.max(...tasks.map(({ conversations }) => conversations?.length ?? 0));
  for (let round = 0; round < most; round++) {
    for (const { task_id, conversations } of tasks) {
      const turns = conversations?.[round];
      if (turns) sessions.get(task_id)?.push(await add(`${task_id}/${round}`, turns));
    }
  }
  const holding = (report: string) =>
    tasks.filter((task) => task.bug_report === report).map(({ task_id }) => sessions.get(task_id)?.at(-1));

  const ask = async (finder: Finder): Promise<SdeResult> => {
    const result = { r1: 0, r5: 0, amended: 0, n: tasks.length, amendedOf: 0, ownR1: 0, ownR1AtMost: 0 };
    result.ownR1AtMost = new Set(tasks.map(({ bug_report }) => bug_report)).size;
    for (const { task_id, bug_report } of tasks) {
      const filters = { projectIds: [bank.projectId('sde')] };
      const found = await searchSessions(finder, { query: bug_report, filters, limit: 200 });
      const ranked = found.map(({ sessionId }) => sessionId);
      const rank = firstRank(ranked, (session) => holding(bug_report).includes(session));
      const own = sessions.get(task_id) ?? [];
      result.r1 += Number(rank <= 1);
      result.r5 += Number(rank <= 5);
      result.ownR1 += Number(firstRank(ranked, (session) => session === own.at(-1)) === 1);
      if (own.length < 2) continue;
      result.amendedOf++;
      const place = (session: number | undefined) => firstRank(ranked, (other) => other === session);
      result.amended += Number(place(own.at(-1)) < place(own[0]));
    }
    return { ...result, r1: result.r1 / result.n, r5: result.r5 / result.n };
  };
  return { bank, ask };
}
