// `claude-mem context --preview`: exactly what the next session would be told, and why. `--replay`: what one was told.

import { plainLine } from '../../core/plain-line.ts';
import type { PreviewAnswer, ReplayAnswer } from '../../core/shapes/context.ts';
import { sayCount } from '../../core/text.ts';
import { formatMoment } from '../../core/time.ts';
import { runHookCommand } from '../../hook/hook.ts';
import { command } from '../command.ts';
import { openMemory } from '../open-memory.ts';
import { readScope } from '../options.ts';
import { findTerminal, printJson } from '../print.ts';

/** Without options it is the hook of a starting session. */
export const contextCommand = command({
  name: 'context',
  about: 'what a session is told. Without an option: hook, reads JSON from stdin. SessionStart: print what the session is told',
  options: {
    '--preview': 'exactly what the next session here would be told',
    '--why': 'the same, with the reason for each line and what was left out',
    '--prompt <text>': 'what would be told with this as the first prompt',
    '--file <path>': 'what would be told before an edit of this file',
    '--project <name>': 'another project',
    '--replay <session>': 'what a past session was told',
    '--json': 'as JSON',
  },
  examples: [
    'claude-mem context --preview --why',
    'claude-mem context --prompt "the retry limit is wrong"',
    'claude-mem context --replay 0f3c',
  ],
  who: ({ options }) => (options.project === undefined && options.replay === undefined ? 'anyone' : 'owner'),
  async run(options) {
    const { replay, preview, why, prompt, file, project, json } = options;
    const isAsked = preview || why || prompt !== undefined || file !== undefined || project !== undefined;
    if (replay === undefined && !isAsked) return runHookCommand('context');
    if (prompt?.trim() === '') throw new Error('The prompt is empty. Give the words: --prompt "the retry limit"');
    if (file?.trim() === '') throw new Error('The file is empty. Give a path: --file src/a.ts');
    const api = openMemory();
    if (replay !== undefined) {
      const answer = await api.replayContext(replay);
      return json ? printJson(answer) : findTerminal().print(describeReplay(answer));
    }
    const answer = await api.previewContext({ ...readScope({ project }), prompt, file });
    if (json) return printJson(answer);
    findTerminal().print(describePreview(answer, why ?? false));
  },
});

function describePreview(answer: PreviewAnswer, why: boolean): string {
  const { text, note, tokens, budgetTokens, characters, records } = answer;
  const budget = answer.occasion === 'start' ? ` of ${budgetTokens}` : '';
  const cost = `${tokens} tokens${budget}, ${characters} characters, ${sayCount(records.length, 'records')}`;
  const head = text ? [text, '', cost] : [note ?? 'Nothing would be told.'];
  return [...head, ...(why ? explain(answer) : [])].join('\n');
}

function explain({ records, leftOut }: PreviewAnswer): string[] {
  const told = records.map(({ id, section, tokens, freshness, value, why, replaced, lastGivenAt }) => {
    const state = [section, `${tokens} tokens`, ...(freshness ? [freshness] : []), `value ${value}`].join(', ');
    const known = [
      ...(replaced.length > 0 ? [`replaced ${replaced.map(name).join(', ')}`] : []),
      ...(lastGivenAt === null ? [] : [`last given ${formatMoment(lastGivenAt)}`]),
    ];
    return `  ${name(id)}: ${plainLine([...why, ...known].join(', '), 240)} (${state})`;
  });
  const left = leftOut.map(({ id, title, reason }) => `  ${name(id)} ${plainLine(title, 80)}: ${plainLine(reason, 120)}`);
  return [...(told.length > 0 ? ['', 'Why each is there:', ...told] : []), ...(left.length > 0 ? ['', 'Left out:', ...left] : [])];
}

const name = (id: string) => (/^[SP]?\d+$/.test(id) ? `#${id}` : plainLine(id, 60));

const OCCASIONS: Record<ReplayAnswer['tellings'][number]['occasion'], string> = {
  start: 'At its start',
  'first-prompt': 'With a prompt',
  edit: 'Before an edit of',
  error: 'After an error',
};

function describeReplay({ session, project, tellings }: ReplayAnswer): string {
  if (tellings.length === 0) return `Session ${plainLine(session, 80)} of ${plainLine(project, 80)} was told nothing.`;
  return tellings
    .map(({ occasion, about, at, text, missing }) => {
      const what = occasion === 'edit' && about ? `${OCCASIONS.edit} ${plainLine(about, 160)}` : OCCASIONS[occasion];
      const gone =
        missing > 0 ? `\n${missing} ${missing === 1 ? 'record is' : 'records are'} not shown: forgotten, hidden, or too old.` : '';
      return `${what}, ${formatMoment(at)}:\n${text}${gone}`;
    })
    .join('\n\n');
}
