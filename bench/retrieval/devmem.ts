// DevMemBench: a developer's question → the conversation that holds the answer.
import { z } from 'zod';
import type { Finder } from '../../src/search/find.ts';
import { searchSessions } from '../../src/search/search-sessions.ts';
import { createBank } from './bank.ts';
import { firstRank, type Loaded, mean } from './measure.ts';
import { readData } from './read-data.ts';

const DevMem = z.object({
  sessions: z.array(
    z.object({
      sessionId: z.string(),
      metadata: z.object({ date: z.string(), project: z.string() }),
      messages: z.array(z.object({ role: z.enum(['user', 'assistant']), content: z.string() })),
    }),
  ),
  questions: z.array(z.object({ question: z.string(), haystackSessionIds: z.array(z.string()) })),
});

export type DevMemResult = { mrr: number; n: number };

/** Searched over all projects, as the questions do not say where they belong. Those that no conversation answers have no rank. */
export async function loadDevMem(dataDir: string): Promise<Loaded<DevMemResult> | null> {
  const data = readData(dataDir, 'devmembench.json', DevMem);
  if (!data) return null;
  const bank = createBank();
  const sessions = new Map<string, number>();
  for (const { sessionId, metadata, messages } of data.sessions) {
    const turns = messages.map(({ role, content }) => ({ text: content, isAgent: role === 'assistant' }));
    const at = Date.parse(`${metadata.date}T09:00:00Z`);
    const added = await bank.addConversation({ project: metadata.project, id: sessionId, at, turns });
    sessions.set(sessionId, added.sessionId);
  }
  const questions = data.questions.filter(({ haystackSessionIds }) => haystackSessionIds.length > 0);
  const ask = async (finder: Finder): Promise<DevMemResult> => {
    const ranks: number[] = [];
    for (const { question, haystackSessionIds } of questions) {
      const right = new Set(haystackSessionIds.map((id) => sessions.get(id)));
      const found = await searchSessions(finder, { query: question, filters: { projectIds: null }, limit: 100 });
      ranks.push(1 / firstRank(found, ({ sessionId }) => right.has(sessionId)));
    }
    return { mrr: mean(ranks), n: ranks.length };
  };
  return { bank, ask };
}
