// LoCoMo: a question → the turns of a long conversation that answer it, and their sessions.
import { z } from 'zod';
import type { Finder } from '../../src/search/find.ts';
import { searchSessions } from '../../src/search/search-sessions.ts';
import { type Bank, createBank } from './bank.ts';
import { type Loaded, mean, recall } from './measure.ts';
import { readData } from './read-data.ts';

const Turn = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  /** What is on a picture that was sent along. */
  blip_caption: z.string().optional(),
});
const Locomo = z.array(
  z.object({
    sample_id: z.string(),
    qa: z.array(z.object({ question: z.string(), evidence: z.array(z.string()).default([]) })),
    conversation: z.record(z.string(), z.unknown()),
  }),
);

export type LocomoResult = { turnR5: number; turnR10: number; sessionR5: number; sessionR10: number; n: number };

type Question = { project: string; text: string; turns: Set<number>; sessions: Set<number> };

/** Each conversation is a project, as each is asked by itself. Questions without evidence have no right answer. */
export async function loadLocomo(dataDir: string): Promise<Loaded<LocomoResult> | null> {
  const data = readData(dataDir, 'locomo.json', Locomo);
  if (!data) return null;
  const bank = createBank();
  const questions: Question[] = [];
  for (const { sample_id: project, conversation, qa } of data) {
    const places = new Map<string, { turn: number; session: number }>();
    for (const { id, at, turns } of listSessions(conversation)) {
      const texts = turns.map(({ speaker, text, blip_caption: caption }) =>
        [`${speaker}: ${text}`, caption && `[${caption}]`].filter(Boolean).join(' '),
      );
      // Two people talk, and each turn is asked for by itself: none of them is the agent.
      const spoken = texts.map((text) => ({ text, isAgent: false }));
      const { sessionId, promptIds } = await bank.addConversation({
        project,
        id: `${project}/${id}`,
        at,
        turns: spoken,
      });
      for (const [n, turn] of turns.entries()) {
        places.set(turn.dia_id, { turn: promptIds[n] ?? 0, session: sessionId });
      }
    }
    for (const { question, evidence } of qa) {
      const right = evidence.flatMap((names) => names.match(/D\d+:\d+/g) ?? []).flatMap((name) => places.get(name) ?? []);
      if (right.length === 0) continue;
      const turns = new Set(right.map(({ turn }) => turn));
      questions.push({ project, text: question, turns, sessions: new Set(right.map(({ session }) => session)) });
    }
  }
  return { bank, ask: (finder) => ask(finder, questions, bank) };
}

function listSessions(conversation: Record<string, unknown>) {
  const sessions: { id: string; at: number; turns: z.output<typeof Turn>[] }[] = [];
  for (let n = 1; conversation[`session_${n}`] !== undefined; n++) {
    const turns = z.array(Turn).parse(conversation[`session_${n}`]);
    sessions.push({ id: `session_${n}`, at: readTime(String(conversation[`session_${n}_date_time`])), turns });
  }
  return sessions;
}

/** `1:56 pm on 8 May, 2023`. */
function readTime(text: string): number {
  const [time, date] = text.split(' on ');
  const at = Date.parse(`${date?.replace(',', '')} ${time}`);
  if (Number.isNaN(at)) throw new Error(`not a time of LoCoMo: ${text}`);
  return at;
}

async function ask(finder: Finder, questions: Question[], { projectId, promptOf }: Bank): Promise<LocomoResult> {
  const found = {
    turnR5: [] as number[],
    turnR10: [] as number[],
    sessionR5: [] as number[],
    sessionR10: [] as number[],
  };
  for (const { project, text, turns, sessions } of questions) {
    const filters = { projectIds: [projectId(project)] };
    const { scored } = await finder.find(text, filters);
    const ranked = [...new Set(scored.map(({ candidate }) => promptOf(candidate.kind, candidate.ref) ?? 0))];
    found.turnR5.push(recall(ranked, turns, 5));
    found.turnR10.push(recall(ranked, turns, 10));
    const best = (await searchSessions(finder, { query: text, filters, limit: 10 })).map(({ sessionId }) => sessionId);
    found.sessionR5.push(recall(best, sessions, 5));
    found.sessionR10.push(recall(best, sessions, 10));
  }
  const { turnR5, turnR10, sessionR5, sessionR10 } = found;
  return {
    turnR5: mean(turnR5),
    turnR10: mean(turnR10),
    sessionR5: mean(sessionR5),
    sessionR10: mean(sessionR10),
    n: questions.length,
  };
}
