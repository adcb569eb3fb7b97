// sde-bench as the past of one project: every decoy and conversation, a day apart, and what each task then asks.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { readData } from '../retrieval/read-data.ts';
import { addSession } from './past.ts';

const Turns = z.array(z.object({ role: z.string(), text: z.string() }));
const Sde = z.object({
  tasks: z.array(
    z.object({
      task_id: z.string(),
      bug_report: z.string(),
      policy: z.string(),
      conversations: z.array(Turns).optional(),
    }),
  ),
  decoys: z.array(z.object({ id: z.string(), turns: Turns })),
});

export type Task = {
  name: string;
  prompt: string;
  policy: string;
  /** Sessions that hold the decision: the last conversation of every task with this very bug report. */
  holding: number[];
  /** Sessions of these tasks whose decision was amended later. */
  amended: number[];
  /** It is this task's own decision that was amended. */
  isAmended: boolean;
};

export type Past = { tasks: Task[]; texts: Map<number, string> };

const FIRST_DAY = Date.parse('2026-01-05T09:00:00Z');
const DAY_MS = 86_400_000;

/** Oldest first: decoys, the first conversations, then the amendments. Null when the file is not there. */
export function loadPast(db: Database, dataDir: string): Past | null {
  const data = readData(dataDir, 'sde-bench.json', Sde);
  if (!data) return null;
  const tasks = data.tasks.flatMap(({ conversations, ...task }) =>
    conversations?.length ? [{ ...task, conversations, sessions: [] as number[] }] : [],
  );
  const texts = new Map<number, string>();
  let day = 0;
  const add = (id: string, turns: z.output<typeof Turns>) => {
    const session = addSession(db, { id, at: FIRST_DAY + day++ * DAY_MS, turns });
    texts.set(session, turns.map(({ text }) => text).join('\n'));
    return session;
  };
  for (const { id, turns } of data.decoys) add(id, turns);
  const most = Math.max(...tasks.map(({ conversations }) => conversations.length));
  for (let round = 0; round < most; round++)
    for (const { task_id, conversations, sessions } of tasks) {
      const turns = conversations[round];
      if (turns) sessions.push(add(`${task_id}/${round}`, turns));
    }
  return {
    texts,
    tasks: tasks.map(({ task_id, bug_report, policy, sessions }) => {
      const alike = tasks.filter((other) => other.bug_report === bug_report).map((other) => other.sessions);
      return {
        name: task_id,
        prompt: bug_report,
        policy,
        holding: alike.flatMap((all) => all.slice(-1)),
        amended: alike.flatMap((all) => all.slice(0, -1)),
        isAmended: sessions.length > 1,
      };
    }),
  };
}
