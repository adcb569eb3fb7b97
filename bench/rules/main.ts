// npm run bench:rules [-- --sentences FILE] [--sessions DIR] [--show]: which sentences become rules of the user, the unseen ones first.
//
// Sentences: those that nobody reads (sentences.ts), then those that may be worked on. Sessions: the cases of bench:memory, through a real
// worker: rules found, instructions for one turn taken for rules, and ordinary prompts of real sessions that became one. `--show` names
// what was missed, of the part to work on alone.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { callApi } from '../../src/client/api.ts';
import { isCertainRule } from '../../src/observe/rules.ts';
import { type Case, holdsAll, loadCases, type Part, type Placed, plain } from '../memory/case.ts';
import { type Played, play } from '../memory/play.ts';
import { buildPlugin } from '../spine/built-plugin.ts';
import { type Labelled, readOwn, readSentences } from './sentences.ts';

const shared = resolve(import.meta.dir, '../../../shared');
const { values: options } = parseArgs({
  options: {
    sentences: { type: 'string', default: `${shared}/data/sentences.tsv` },
    sessions: { type: 'string', default: `${shared}/samples/sessions` },
    show: { type: 'boolean', default: false },
  },
});

printSentences();
await printSessions();
process.exit(0);

function printSentences(): void {
  const all = readSentences(options.sentences);
  for (const [name, some] of [
    ['unseen', all.filter(({ isUnseen }) => isUnseen)],
    ['work', all.filter(({ isUnseen }) => !isUnseen)],
    ['our own, to work on', readOwn()],
  ] as const)
    for (const isEnglish of [true, false]) {
      const mine = some.filter(({ language }) => (language === 'en') === isEnglish);
      const row = (what: string, which: Labelled[]) =>
        `${what} ${which.filter(({ text }) => isCertainRule(text)).length} of ${which.length}`;
      const rules = mine.filter(({ isRule }) => isRule);
      console.log(
        `${name}, ${isEnglish ? 'English' : 'other languages'}: ${[
          row(
            'rules found',
            rules.filter(({ isOfOnePiece }) => !isOfOnePiece),
          ),
          ...(rules.some(({ isOneOff }) => isOneOff)
            ? [
                row(
                  'of them choices made once',
                  rules.filter(({ isOneOff }) => isOneOff),
                ),
              ]
            : []),
          row(
            'others taken for one',
            mine.filter(({ isRule }) => !isRule),
          ),
          row(
            'laid down about one piece of work',
            rules.filter(({ isOfOnePiece }) => isOfOnePiece),
          ),
        ].join('; ')}`,
      );
    }
}

async function printSessions(): Promise<void> {
  const built = await buildPlugin();
  try {
    for (const part of ['unseen', 'work'] as const) await printCases(part, built);
  } finally {
    built.dispose();
  }
}

async function printCases(part: Part, built: Awaited<ReturnType<typeof buildPlugin>>): Promise<void> {
  const cases = loadCases(part);
  const played = await play(cases, { built, sessions: options.sessions, embedder: 'off' });
  const score = { found: [0, 0], of: [0, 0], kept: 0, keptOf: 0, ordinary: 0, became: 0 };
  try {
    for (const one of cases) await scoreCase(one, played, score, part);
  } finally {
    await played.close();
  }
  const { found, of, kept, keptOf, ordinary, became } = score;
  console.log(
    [
      `${part}, long sessions: rules found, English ${found[0]} of ${of[0]}, other languages ${found[1]} of ${of[1]}`,
      `for one turn, taken for rules ${kept} of ${keptOf}`,
      `ordinary prompts of real sessions that became one ${became} of ${ordinary}`,
    ].join('; '),
  );
}

type Score = { found: number[]; of: number[]; kept: number; keptOf: number; ordinary: number; became: number };
type Rule = { text: string; turn: number };

async function scoreCase(one: Case, played: Played, score: Score, part: Part): Promise<void> {
  const rules = await readRules(played, one);
  const at = one.language === 'en' ? 0 : 1;
  const isGiven = ({ words }: Placed) => rules.some(({ text }) => holdsAll(plain(text), words));
  const isNear = ({ turn }: Placed) => rules.some((rule) => rule.turn === turn);
  const missed = one.rules.filter((rule) => !isGiven(rule) && !isNear(rule));
  score.of[at] = (score.of[at] ?? 0) + one.rules.length;
  score.found[at] = (score.found[at] ?? 0) + one.rules.length - missed.length;
  score.keptOf += one.notRules.length;
  score.kept += one.notRules.filter(isGiven).length;
  const wrong = rules.filter(({ turn }) => !one.rules.some((rule) => rule.turn === turn));
  if (one.transcript) {
    const turns = await countPrompts(played, one);
    score.ordinary += turns - new Set(one.rules.map(({ turn }) => turn)).size;
    score.became += new Set(wrong.map(({ turn }) => turn)).size;
  }
  if (!options.show || part === 'unseen') return;
  for (const rule of missed) console.log(`${one.name}: missed ${JSON.stringify(rule)}`);
  for (const { text, turn } of wrong) console.log(`${one.name}: turn ${turn} became a rule: ${text}`);
}

function placeOf(played: Played, one: Case): string {
  return played.places.get(one.name)?.root ?? '';
}

/** With the turn counted over all sessions of the case. */
async function readRules(played: Played, one: Case): Promise<Rule[]> {
  const { rules } = await played.api.listRules({ cwd: placeOf(played, one) });
  if (rules.length === 0) return [];
  const { memories } = await played.api.readMemories(rules.map(({ id }) => id));
  const counts = (one.sessions ?? []).map(({ turns }) => turns.length);
  return memories.map(({ facts, title, session, promptNumber }) => {
    const before = one.sessions && session ? counts.slice(0, Number(session.slice(-12)) - 1) : [];
    return { text: facts[0] ?? title, turn: before.reduce((sum, count) => sum + count, promptNumber ?? 0) };
  });
}

async function countPrompts(played: Played, one: Case): Promise<number> {
  const query = new URLSearchParams({ cwd: placeOf(played, one), limit: '1' });
  const { total } = (await callApi(played.paths, `/api/prompts?${query}`, { timeoutMs: 15_000 })) as { total: number };
  return total;
}
