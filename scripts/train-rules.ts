// bun scripts/train-rules.ts SENTENCES.tsv: weighs the cues of src/observe/rules.ts by labelled sentences, into rule-weights.txt.
//
// Logistic regression on a few dozen cues, the same in every language. The unseen part (bench/rules/sentences.ts) is not read.
import { join } from 'node:path';
import { type Labelled, readCases, readOwn, readSentences } from '../bench/rules/sentences.ts';
import { cuesOf } from '../src/observe/rules.ts';

const ROUNDS = 2000;
const STEP = 0.3;
/** Keeps rare cues near nothing. */
const SHRINK = 1;
/** Most sentences of real sessions are none. */
const OTHERS_COUNT = 2;

const [path] = process.argv.slice(2);
if (!path) throw new Error('Give the file of labelled sentences.');
const examples = [...readSentences(path).filter(({ isUnseen }) => !isUnseen), ...readOwn(), ...readCases()].map(toExample);
const weights = fit(examples);
const lines = [...weights].sort(([, one], [, other]) => other - one).map(([cue, weight]) => `${cue} ${weight.toFixed(2)}`);
const head = [
  '# How much each cue of src/observe/rules.ts speaks for a rule of the user (log odds).',
  `Made by scripts/train-rules.ts of ${examples.length} sentences.`,
].join(' ');
await Bun.write(join(import.meta.dir, '../src/observe/rule-weights.txt'), `${[head, ...lines].join('\n')}\n`);

type Example = { cues: string[]; isRule: number; share: number };

/** What was laid down about one function is a decision more than a rule, and counts as neither. */
function toExample({ text, isRule, isOfOnePiece }: Labelled): Example {
  const share = isRule ? Number(!isOfOnePiece) : OTHERS_COUNT;
  return { cues: ['bias', ...cuesOf(text)], isRule: Number(isRule), share };
}

function fit(all: Example[]): Map<string, number> {
  const found = new Map(all.flatMap(({ cues }) => cues.map((cue): [string, number] => [cue, 0])));
  const seen = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    const slopes = new Map<string, number>();
    for (const { cues, isRule, share } of all) {
      const sum = cues.reduce((total, cue) => total + (found.get(cue) ?? 0), 0);
      const off = (1 / (1 + Math.exp(-sum)) - isRule) * share;
      for (const cue of cues) slopes.set(cue, (slopes.get(cue) ?? 0) + off);
    }
    for (const [cue, weight] of found) {
      const slope = (slopes.get(cue) ?? 0) + (cue === 'bias' ? 0 : SHRINK * weight);
      const sum = (seen.get(cue) ?? 0) + slope ** 2;
      seen.set(cue, sum);
      // Cues that stand everywhere take small steps.
      if (sum > 0) found.set(cue, weight - (STEP * slope) / Math.sqrt(sum));
    }
  }
  return found;
}
