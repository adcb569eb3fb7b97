// `claude-mem pause`: for a while, or until `resume`, nothing is kept and nothing is told.
import { askWorker } from '../../client/api.ts';
import { quoteWord } from '../../core/quote-word.ts';
import { describeSilence, type PauseParameters, type SilenceAnswer } from '../../core/silence.ts';
import { parseUntil } from '../../core/until.ts';
import { findPaths } from '../../paths.ts';
import { printJson } from '../memory-options.ts';
import { readWhose, type WhoseOptions } from '../silence-options.ts';

export async function pause(said: string[], given: WhoseOptions & { json?: boolean }): Promise<void> {
  const now = Date.now();
  const { words, options } = takeTimeBack(said, given, now);
  const until = words.length > 0 ? parseUntil(words.join(' '), now) : null;
  const body: PauseParameters = {
    ...readWhose(options),
    ...(until === null ? {} : { until: new Date(until).toISOString() }),
  };
  const answer = (await askWorker(findPaths(), '/api/silence', { method: 'POST', body })) as SilenceAnswer;
  if (given.json) return printJson(answer);
  for (const silence of answer.silences) console.log(describeSilence(silence, now));
  const end = `claude-mem resume${sayWhose(options, body)}`;
  console.log(`Nothing of it is kept or told. \`${end}\` ends it; what happens until then is gone for good.`);
}

/** A session by its id, so that it can be said in any terminal. */
function sayWhose({ project }: WhoseOptions, { session }: PauseParameters): string {
  if (session !== undefined) return ` --session ${quoteWord(session)}`;
  if (project === undefined) return '';
  return project === true ? ' --project' : ` --project ${quoteWord(project)}`;
}

type Said = { words: string[]; options: WhoseOptions };

/** `--project 1h` and `--session 1h` mean the time, which the option took for its own. */
function takeTimeBack(words: string[], options: WhoseOptions, now: number): Said {
  for (const name of ['project', 'session'] as const) {
    const taken = options[name];
    if (words.length === 0 && typeof taken === 'string' && isTime(taken, now)) {
      return { words: [taken], options: { ...options, [name]: true } };
    }
  }
  return { words, options };
}

function isTime(text: string, now: number): boolean {
  try {
    return parseUntil(text, now) > now;
  } catch {
    // No time: so it is a name.
    return false;
  }
}
