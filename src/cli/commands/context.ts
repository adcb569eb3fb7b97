// `claude-mem context --preview`: exactly what the next session would be told, and why. `--replay`: what one was told.
import type { PreviewAnswer, ReplayAnswer } from '../../core/context.ts';
import { formatDate, formatTime } from '../../core/local-time.ts';
import { plainLine } from '../../core/plain-line.ts';
import { printJson } from '../memory-options.ts';
import { openMemory } from '../open-memory.ts';
import { runHookCommand } from '../run-hook-command.ts';
import { findTerminal } from '../terminal.ts';

export type ContextOptions = {
  preview?: boolean;
  why?: boolean;
  prompt?: string;
  file?: string;
  project?: string;
  replay?: string;
  json?: boolean;
};

/** Without options it is the hook of a starting session. */
export async function context(options: ContextOptions): Promise<void> {
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
  const place = project ? { project } : { cwd: process.cwd() };
  const answer = await api.previewContext({ ...place, prompt, file });
  if (json) return printJson(answer);
  findTerminal().print(describePreview(answer, why ?? false));
}

function describePreview(answer: PreviewAnswer, why: boolean): string {
  const { text, note, tokens, budgetTokens, characters, records } = answer;
  const budget = answer.occasion === 'start' ? ` of ${budgetTokens}` : '';
  const cost = `${tokens} tokens${budget}, ${characters} characters, ${records.length} ${records.length === 1 ? 'record' : 'records'}`;
  const head = text ? [text, '', cost] : [note ?? 'Nothing would be told.'];
  return [...head, ...(why ? explain(answer) : [])].join('\n');
}

function explain({ records, leftOut }: PreviewAnswer): string[] {
  const told = records.map(({ id, section, tokens, freshness, value, why, replaced, lastGivenAt }) => {
    const state = [section, `${tokens} tokens`, ...(freshness ? [freshness] : []), `value ${value}`].join(', ');
    const known = [
      ...(replaced.length > 0 ? [`replaced ${replaced.map(name).join(', ')}`] : []),
      ...(lastGivenAt === null ? [] : [`last given ${formatDate(lastGivenAt)} ${formatTime(lastGivenAt)}`]),
    ];
    return `  ${name(id)}: ${plainLine([...why, ...known].join(', '), 240)} (${state})`;
  });
  const left = leftOut.map(
    ({ id, title, reason }) => `  ${name(id)} ${plainLine(title, 80)}: ${plainLine(reason, 120)}`,
  );
  return [
    ...(told.length > 0 ? ['', 'Why each is there:', ...told] : []),
    ...(left.length > 0 ? ['', 'Left out:', ...left] : []),
  ];
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
        missing > 0
          ? `\n${missing} ${missing === 1 ? 'record is' : 'records are'} not shown: forgotten, hidden, or too old.`
          : '';
      return `${what}, ${formatDate(at)} ${formatTime(at)}:\n${text}${gone}`;
    })
    .join('\n\n');
}
