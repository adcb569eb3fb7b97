// sde-bench's other half: a bug report → the commit that holds the decision, among all of the repository's.
import { z } from 'zod';
import type { Finder } from '../../src/search/find.ts';
import { createBank } from './bank.ts';
import { firstRank, type Loaded } from './measure.ts';
import { readData } from './read-data.ts';
import { Sde } from './sde.ts';

const Commits = z.array(z.object({ hash: z.string(), date: z.string(), subject: z.string(), body: z.string() }));

export type CommitsResult = { r1: number; n: number };

export async function loadCommits(dataDir: string): Promise<Loaded<CommitsResult> | null> {
  const data = readData(dataDir, 'sde-bench.json', Sde);
  const commits = readData(dataDir, 'boltons-commits.json', Commits);
  if (!data || !commits) return null;
  const tasks = data.tasks.filter((task) => task.decision_subject);
  const bank = createBank();
  const add = (id: string, at: number, title: string, text: string) => bank.addNote({ project: 'commits', id, at, title, text });
  // Each commit is a session of its own: one has nothing to do with the next.
  for (const { hash, date, subject, body } of commits) add(hash, Date.parse(date), subject, body);
  // The decisions were taken somewhere in the middle of the repository's life, not today.
  const times = commits.map(({ date }) => Date.parse(date)).sort((one, other) => one - other);
  const right = tasks.map(({ task_id, decision_subject = '', decision_rationale = '' }, at) => {
    const time = times[Math.floor(((at + 1) * times.length) / (tasks.length + 1))] ?? 0;
    return add(task_id, time, decision_subject, decision_rationale);
  });
  const ask = async (finder: Finder): Promise<CommitsResult> => {
    let first = 0;
    for (const [at, { bug_report }] of tasks.entries()) {
      const { scored } = await finder.find(bug_report, { projectIds: [bank.projectId('commits')] });
      first += Number(firstRank(scored, ({ candidate }) => candidate.ref === right[at]) === 1);
    }
    return { r1: first / tasks.length, n: tasks.length };
  };
  return { bank, ask };
}
