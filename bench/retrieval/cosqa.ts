// CoSQA: a question as typed into a search engine → the function that does it.
import { z } from 'zod';
import type { Finder } from '../../src/search/find.ts';
import { createBank } from './bank.ts';
import { firstRank, type Loaded, mean } from './measure.ts';
import { readData } from './read-data.ts';

const CoSqa = z.array(z.object({ doc: z.string(), code: z.string(), label: z.number() }));

export type CoSqaResult = { mrr: number; n: number };

/** Every function once; asked are the pairs that people judged to match. */
export async function loadCoSqa(dataDir: string): Promise<Loaded<CoSqaResult> | null> {
  const pairs = readData(dataDir, 'cosqa.json', CoSqa);
  if (!pairs) return null;
  const bank = createBank();
  const ids = new Map<string, number>();
  for (const [at, { code }] of pairs.entries()) {
    if (ids.has(code)) continue;
    ids.set(code, bank.addNote({ project: 'cosqa', id: `code-${at}`, at: 0, title: null, text: code }));
  }
  const asked = pairs.filter(({ label }) => label === 1);
  const ask = async (finder: Finder): Promise<CoSqaResult> => {
    const ranks: number[] = [];
    for (const { doc, code } of asked) {
      const { scored } = await finder.find(doc, { projectIds: null });
      ranks.push(1 / firstRank(scored, ({ candidate }) => candidate.ref === ids.get(code)));
    }
    return { mrr: mean(ranks), n: ranks.length };
  };
  return { bank, ask };
}
