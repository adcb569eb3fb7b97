// What an import says at its end: nothing that is not so.
import { describe, expect, test } from 'bun:test';
import type { JobProgress } from '../../../src/core/job.ts';
import { claudeCodeTranscripts } from '../../../src/hosts/claude-code/transcript-files.ts';
import type { FoundSession } from '../../../src/importer/transcript-files.ts';
import { createImportProgress } from '../../../src/worker/import/progress.ts';
import type { ImportNews } from '../../../src/worker/import/wire.ts';

const NONE = { observations: 0, summaries: 0, prompts: 0 };
const TAKEN: ImportNews = { kind: 'taken', added: 3, observations: 1, isLeftAsItIs: false };
const KNOWN: ImportNews = { kind: 'taken', added: 0, observations: 0, isLeftAsItIs: false };
const denied = (path: string): ImportNews => ({
  kind: 'failed',
  error: `EACCES: permission denied, open '${path}'`,
});

const found = (path: string): FoundSession => ({
  host: claudeCodeTranscripts,
  files: [{ path, session: path, agent: null, size: 10, mtime: 0 }],
  bytes: 10,
  lastAt: 0,
});

function run(news: ImportNews[], now = NONE, before = NONE): { said: () => string[]; steps: string[] } {
  const sessions = news.map((_, at) => found(`/past/${at}.jsonl`));
  const steps: string[] = [];
  const control = {
    report: ({ step }: JobProgress) => void steps.push(step),
    signal: new AbortController().signal,
    isResumed: false,
    pause: () => Promise.resolve(),
  };
  const progress = createImportProgress(sessions, control);
  for (const [at, session] of sessions.entries()) progress.took(session, news[at] ?? KNOWN);
  return { said: () => progress.finish(now, before), steps };
}

describe('at its end', () => {
  test.each<[string, ImportNews[], typeof NONE, string[]]>([
    [
      'counts, one as one',
      [TAKEN],
      { observations: 1, summaries: 1, prompts: 2 },
      [
        'Read 1 session: 3 events of 1 session had not been known.',
        'Remembered: 1 observation, 1 summary and 2 prompts more than before.',
      ],
    ],
    [
      'says when nothing is new',
      [KNOWN, KNOWN],
      NONE,
      ['Read 2 sessions: all of it was known already, or is to be left out.'],
    ],
    [
      'does not count what could not be read, and names it once',
      [TAKEN, denied('/past/1.jsonl')],
      { ...NONE, prompts: 1 },
      [
        'Read 1 session: 3 events of 1 session had not been known.',
        'Remembered: 1 prompt more than before.',
        'Could not be read: /past/1.jsonl: EACCES: permission denied',
      ],
    ],
  ])('%s', (_, news, now, expected) => expect(run(news, now).said()).toEqual(expected));

  test('fails when nothing could be read', () => {
    expect(run([denied('/past/0.jsonl')]).said).toThrow(
      /^Nothing could be read.\nCould not be read: .past.0.jsonl: EACC/,
    );
  });

  test('says nothing of less', () => {
    expect(run([TAKEN], NONE, { observations: 5, summaries: 1, prompts: 0 }).said()).toHaveLength(1);
  });
});

test('a session that failed is behind us all the same', () => {
  expect(run([denied('/past/0.jsonl'), TAKEN]).steps.at(-1)).toBe('2 of 2 sessions');
});
