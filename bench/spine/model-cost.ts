// What the model is asked for a session of 50 tool uses and 5 prompts, through each provider, against what the public product asks.
import { NEEDLE_PROVIDERS, runNeedles } from '../../test/support/needle-run.ts';
import { atLeast, atMost, type BenchDeps, type Benchmark, check, type Figure } from './benchmark.ts';

export const modelCost: Benchmark = {
  name: 'model',
  about: 'what a long session costs at the model, and what of it gets there',
  run: measureModelCost,
};

/** Measured: 69 requests, 13.2 M characters for 50 tool uses and 5 prompts. */
const PEER_CHARS = 13_200_000;
const REQUESTS = 7;
const CHEAPER = 80;
const NEEDLES = 45;

async function measureModelCost({ isQuick, say }: BenchDeps): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const provider of isQuick ? (['openai'] as const) : NEEDLE_PROVIDERS) {
    say(`50 tool uses through ${provider}`);
    const run = await runNeedles(provider, 1);
    check(run.eventsDone === run.events, `${run.events - run.eventsDone} events are not done`);
    check(run.promptsKept === run.prompts, `${run.prompts - run.promptsKept} prompts never reached the model`);
    const { requests, inputChars, needlesKept } = run;
    const cheaper = PEER_CHARS / inputChars;
    const values = { requests, inputChars, needlesKept, cheaper };
    figures.push(
      {
        what: `model requests, ${provider}`,
        figure: `${requests}`,
        ratio: null,
        goal: atMost(requests, REQUESTS, ''),
        values,
      },
      {
        what: `model input, ${provider}`,
        figure: `${inputChars.toLocaleString('en')} characters, 1/${Math.floor(cheaper)} of 13.2 M`,
        ratio: null,
        goal: atLeast(Math.floor(cheaper), CHEAPER, 'x less'),
        values,
      },
      {
        what: `needles kept, ${provider}`,
        figure: `${needlesKept} of ${run.tools}`,
        ratio: null,
        goal: atLeast(needlesKept, NEEDLES, ''),
        values,
      },
    );
  }
  return figures;
}
