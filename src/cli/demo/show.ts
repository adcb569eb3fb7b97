// What the demo prints. The context, the answers and the reasons are the product's own; here they are only put on the screen.

import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callApi } from '../../client/api.ts';
import { withQuery } from '../../client/memory-api.ts';
import { plainLine } from '../../core/plain-line.ts';
import { PreviewAnswerSchema } from '../../core/shapes/context.ts';
import { formatSize, sayCount } from '../../core/text.ts';
import { formatMoment } from '../../core/time.ts';
import { shellPath } from '../../paths.ts';
import { clip, type findTerminal } from '../print.ts';
import { fetchStatus } from '../worker-state.ts';
import type { Played, Week } from './claude-session.ts';
import type { Stage } from './stage.ts';

export type Voice = {
  width: number;
  paint: ReturnType<typeof findTerminal>['paint'];
  say: (...lines: string[]) => void;
  title: (text: string) => void;
};

export function showSession({ say, width, paint }: Voice, { session, startsAt, hookMs }: Played): void {
  const [when, count] = [formatMoment(startsAt ?? Date.now()), sayCount(hookMs.length, 'hooks')];
  const room = width - when.length - count.length - 6;
  const prompt = clip(plainLine(session.turns[0]?.prompt ?? '', 200), room).padEnd(room);
  say(`  ${paint('dim', when)}  ${prompt}  ${paint('dim', count)}`);
}

export async function showWeek({ say }: Voice, { paths }: Stage, hookMs: number[]): Promise<void> {
  const status = await fetchStatus(paths);
  const median = hookMs.toSorted((a, b) => a - b)[hookMs.length >> 1] ?? 0;
  const made = status ? `${sayCount(status.observations, 'memories')} and ${sayCount(status.summaries, 'summaries')}` : 'nothing';
  say('', `  ${hookMs.length} hooks, half of them within ${Math.round(median)} ms, made ${made}.`);
}

/** As the real hook of a starting session prints it; below each line the reason that the memory gives for it. */
export async function showContext(voice: Voice, stage: Stage): Promise<void> {
  const { say, width, paint } = voice;
  const cwd = stage.repository.root;
  const answer = await callApi(stage.paths, withQuery('/api/context/preview', { cwd }));
  const { records, leftOut, tokens } = PreviewAnswerSchema.parse(answer);
  const id = crypto.randomUUID();
  const payload = { session_id: id, transcript_path: stage.appendLines(id, []), cwd, hook_event_name: 'SessionStart', source: 'startup' };
  const { output } = await stage.hook('context', payload);
  const reasons = [...records];
  for (const line of readContext(output).split('\n')) {
    const at = reasons.findIndex((record) => line.startsWith(`#${record.id} `));
    const [reason] = at < 0 ? [] : reasons.splice(at, 1);
    const shown = wrap(line, width);
    say(...(reason || line.startsWith('  ') ? shown : shown.map((part) => paint(line.startsWith('## ') ? 'cyan' : 'dim', part))));
    if (reason) say(...wrap(`  why: ${reason.why.join(', ')}`, width).map((part) => paint('dim', part)));
  }
  say('', `  ${tokens} tokens.${leftOut.length > 0 ? ' Left out:' : ''}`);
  for (const { id, title, reason } of leftOut) say(...wrap(`#${id} ${title}: ${reason}`, width));
}

function readContext(output: string): string {
  const { hookSpecificOutput } = JSON.parse(output);
  return hookSpecificOutput.additionalContext;
}

function wrap(line: string, width: number): string[] {
  const indent = `  ${/^ */.exec(line)?.[0]}`;
  const parts = Bun.wrapAnsi(line.trim(), width - indent.length - 2).split('\n');
  return parts.map((part, at) => `${at === 0 ? indent : `${indent}  `}${part}`.trimEnd());
}

const PIECES = 3;

export async function showQuestions({ say, width, paint }: Voice, stage: Stage, { questions }: Week): Promise<void> {
  for (const [at, question] of questions.entries()) {
    const { pattern, lines, of, characters, pieces } = grep(stage.transcripts, question);
    const found = `${lines} of ${of} lines, ${characters.toLocaleString('en')} characters, unranked`;
    say(...(at > 0 ? [''] : []), paint('cyan', clip(`$ grep -riE '${pattern}' ~/.claude/projects`, width)));
    say(`  ${lines === 0 ? 'nothing' : found}`);
    for (const piece of pieces.slice(0, PIECES)) say(paint('dim', clip(`  …${plainLine(piece, 200)}…`, width)));
    say(paint('cyan', clip(`$ claude-mem search --limit 2 "${question}"`, width)));
    const answer = await stage.ask('search', '--limit', '2', question);
    // Without the frame that tells an agent what it is.
    for (const line of answer
      .trimEnd()
      .split('\n')
      .filter((one) => /^(?:#| )/.test(one))) {
      const shown = wrap(line, width);
      say(...(line.startsWith('#') ? shown.map((part) => paint('bold', part)) : shown));
    }
  }
}

const CONTROL = 'SQLite';

/** False when something is there that must not be. */
export function showUnkept({ say }: Voice, { paths, transcripts }: Stage, { unkept }: Week): boolean {
  const rows = [
    ['the key from the prompt', unkept.secret],
    ['the words in <private>', unkept.private],
  ] as const;
  const found = rows.map(([what, words]) => {
    const [raw, kept] = [countIn(transcripts, words), countIn(paths.dataDir, words)];
    say(`  ${what}: ${sayCount(raw.found, 'times')} in the transcripts, ${sayCount(kept.found, 'times')} in the memory`);
    return kept.found;
  });
  const control = countIn(paths.dataDir, CONTROL);
  const all = `${sayCount(control.files, 'files')}, ${formatSize(control.bytes)}`;
  say(`  Searched: every byte of the memory (${all}).`, `  It can be found: "${CONTROL}" is there ${sayCount(control.found, 'times')}.`);
  return found.every((count) => count === 0);
}

// What the demo looks up beside the memory: what grep finds in the transcripts, and how often some words stand in the bytes of a folder.

type Grepped = { pattern: string; lines: number; of: number; characters: number; pieces: string[] };

/** Every word of the question that says what it is about: whoever does not know the answer has no others. */
export function grep(folder: string, question: string): Grepped {
  const words = question.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
  const pattern = words.filter((word) => !IDLE.test(word)).join('|');
  const run = (...args: string[]) => {
    const { stdout } = Bun.spawnSync(['grep', '-r', '-h', '-i', '-E', ...args, folder], { env: { PATH: shellPath(), LC_ALL: 'C.UTF-8' } });
    return stdout.toString().split('\n').filter(Boolean);
  };
  const lines = run(pattern);
  return {
    ...{ pattern, lines: lines.length, of: run('').length, characters: lines.join('\n').length },
    // grep's own view of them: a line of a transcript fills screens.
    pieces: run('-o', `.{0,24}(${pattern}).{0,24}`),
  };
}

const IDLE = /^(?:and|are|did|does|for|how|not|now|our|that|the|use|was|what|when|where|which|why)$/;

type Searched = { files: number; bytes: number; found: number };

export function countIn(folder: string, words: string): Searched {
  const needle = Buffer.from(words);
  const sum: Searched = { files: 0, bytes: 0, found: 0 };
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    const bytes = readFileSync(path);
    sum.files++;
    sum.bytes += bytes.length;
    for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) sum.found++;
  }
  return sum;
}
