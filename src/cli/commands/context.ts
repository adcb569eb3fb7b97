// `claude-mem context --preview`: exactly the context of the next session, and why. `--replay`: that of a past one.
import { plainLine } from '../../core/plain-line.ts';
import type { PreviewAnswer, ReplayAnswer } from '../../core/shapes/context.ts';
import { sayCount } from '../../core/text.ts';
import { formatMoment } from '../../core/time.ts';
import { runHookCommand } from '../../hook/run-hook.ts';
import { command, misuse } from '../command.ts';
import { openMemory, readScope } from '../options.ts';

/** Without options it is the hook of a starting session. */
export const contextCommand = command({
  name: 'context',
  about: 'Show what the next session here will get, and why',
  help: 'Without an option and without a terminal it is the hook of SessionStart and reads JSON from stdin.',
  options: {
    '--preview': 'Exactly what would be added (the default in a terminal)',
    '--why': 'The same, with the reason for each line and what was left out',
    '--prompt <text>': 'What would be added with this as the first prompt',
    '--file <path>': 'What would be added before an edit of this file',
    '--project <name>': 'Another project',
    '--replay <session>': 'What was added to a past session',
  },
  examples: ['claude-mem context --preview --why', 'claude-mem context --prompt "the retry limit is too low"'],
  who: ({ options }) => (options.project === undefined && options.replay === undefined ? 'anyone' : 'owner'),
  async run({ replay, preview, why, prompt, file, project }) {
    const isAsked = preview || why || prompt !== undefined || file !== undefined || project !== undefined;
    // At a terminal a person asks; a hook has only stdin.
    if (replay === undefined && !isAsked && !process.stdin.isTTY) return void (await runHookCommand('context'));
    if (prompt?.trim() === '') throw misuse('The prompt is empty. Give the words: --prompt "the retry limit"');
    if (file?.trim() === '') throw misuse('The file is empty. Give a path: --file src/a.ts');
    if (replay !== undefined) {
      const answer = await openMemory().replayContext(replay);
      return { answer, memories: () => describeReplay(answer) };
    }
    const answer = await openMemory().previewContext({ ...readScope({ project }), prompt, file });
    return { answer, memories: () => describePreview(answer, why ?? false) };
  },
});

function describePreview(answer: PreviewAnswer, why: boolean): string {
  const { text, note, tokens, budgetTokens, characters, records } = answer;
  const budget = answer.occasion === 'start' ? ` of ${budgetTokens}` : '';
  const cost = `${tokens} tokens${budget}, ${characters} characters, ${sayCount(records.length, 'records')}`;
  const head = text ? [text, '', cost] : [note ?? 'Nothing would be added.'];
  return [...head, ...(why ? explain(answer) : [])].join('\n');
}

function explain({ records, leftOut }: PreviewAnswer): string[] {
  const added = records.map(({ id, section, tokens, freshness, value, why, replaced, lastGivenAt }) => {
    const state = [section, `${tokens} tokens`, ...(freshness ? [freshness] : []), `value ${value}`].join(', ');
    const known = [
      ...(replaced.length > 0 ? [`replaced ${replaced.map(name).join(', ')}`] : []),
      ...(lastGivenAt === null ? [] : [`last given ${formatMoment(lastGivenAt)}`]),
    ];
    return `  ${name(id)}: ${plainLine([...why, ...known].join(', '), 240)} (${state})`;
  });
  const left = leftOut.map(({ id, title, reason }) => `  ${name(id)} ${plainLine(title, 80)}: ${plainLine(reason, 120)}`);
  return [...(added.length > 0 ? ['', 'Why each is there:', ...added] : []), ...(left.length > 0 ? ['', 'Left out:', ...left] : [])];
}

const name = (id: string) => (/^[SP]?\d+$/.test(id) ? `#${id}` : plainLine(id, 60));

const OCCASIONS: Record<ReplayAnswer['tellings'][number]['occasion'], string> = {
  start: 'At its start',
  'first-prompt': 'With a prompt',
  edit: 'Before an edit of',
  error: 'After an error',
};

function describeReplay({ session, project, tellings }: ReplayAnswer): string {
  if (tellings.length === 0) return `Nothing was added to session ${plainLine(session, 80)} of ${plainLine(project, 80)}.`;
  return tellings
    .map(({ occasion, about, at, text, missing }) => {
      const what = occasion === 'edit' && about ? `${OCCASIONS.edit} ${plainLine(about, 160)}` : OCCASIONS[occasion];
      const gone = missing > 0 ? `\nNot shown: ${sayCount(missing, 'records')} (forgotten, hidden, or too old).` : '';
      return `${what}, ${formatMoment(at)}:\n${text}${gone}`;
    })
    .join('\n\n');
}
