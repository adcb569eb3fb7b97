// `claude-mem resume`: ends pauses. What a setting turns off stays off.
import { askWorker } from '../../client/api.ts';
import { withQuery } from '../../client/memory-api.ts';
import { quoteWord } from '../../core/quote-word.ts';
import { describeSilence, type ResumeAnswer, type ResumeParameters, type Silence } from '../../core/silence.ts';
import { findPaths } from '../../paths.ts';
import { printJson } from '../memory-options.ts';
import { readWhose, type WhoseOptions } from '../silence-options.ts';

export async function resume(options: WhoseOptions & { all?: boolean; json?: boolean }): Promise<void> {
  const parameters: ResumeParameters = options.all ? { all: true } : readWhose(options);
  const route = withQuery('/api/silence', parameters);
  const answer = (await askWorker(findPaths(), route, { method: 'DELETE' })) as ResumeAnswer;
  if (options.json) return printJson(answer);
  console.log(answer.ended > 0 ? 'The pause is over.' : 'This was not paused.');
  for (const silence of answer.silences) console.log(`still ${describeSilence(silence, Date.now())}${remedy(silence)}`);
}

function remedy({ kind, scope, name, reason }: Silence): string {
  if (reason) return '';
  const whose = scope === 'everything' ? '' : ` --${scope} ${quoteWord(name)}`;
  return kind === 'off' ? `: claude-mem config unset off${whose}` : `: claude-mem resume${whose}`;
}
