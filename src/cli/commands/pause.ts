// `claude-mem pause` and `resume`: for a while nothing is kept and nothing is told. What a setting turns off stays off.

import { askWorker } from '../../client/api.ts';
import { withQuery } from '../../client/memory-api.ts';
import type { ResumeAnswer, Silence, SilenceAnswer } from '../../core/shapes/silence.ts';
import { describeSilence, type PauseParameters, type ResumeParameters } from '../../core/silence.ts';
import { quoteWord } from '../../core/text.ts';
import { parseUntil } from '../../core/time.ts';
import { findCurrentSession, findPaths } from '../../paths.ts';
import { command, person } from '../command.ts';
import { type ProjectOption, readPlace } from '../options.ts';
import { printJson } from '../print.ts';

export const pauseCommand = command({
  name: 'pause [time...]',
  about: 'keep and tell nothing: for a time (30m, 1h, 2d, until 18:00), or until `resume`',
  options: {
    '--project [name]': 'only this project, or another one',
    '--session [id]': 'only this session, or another one',
    '--json': 'as JSON',
  },
  examples: [
    'claude-mem pause 1h',
    'claude-mem pause until 18:00 --project',
    'claude-mem pause --session                       inside of a session: this one',
    'CLAUDE_MEM_INCOGNITO=1 claude                    a whole session, from its start',
  ],
  who: ({ options }) => person(SILENCES, inThisSession('pause', options)),
  async run(said, given) {
    const now = Date.now();
    const { words, options } = takeTimeBack(said, given, now);
    const until = words.length > 0 ? parseUntil(words.join(' '), now) : null;
    const body: PauseParameters = {
      ...readWhose(options),
      ...(until === null ? {} : { until: new Date(until).toISOString() }),
    };
    const answer = (await askWorker(findPaths(), '/api/pauses', { method: 'POST', body })) as SilenceAnswer;
    if (given.json) return printJson(answer);
    for (const silence of answer.silences) console.log(describeSilence(silence, now));
    const end = `claude-mem resume${sayWhose(options, body)}`;
    console.log(`Nothing of it is kept or told. \`${end}\` ends it; what happens until then is gone for good.`);
  },
});

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

export const resumeCommand = command({
  name: 'resume',
  about: 'end the pause',
  options: {
    '--project [name]': 'that of this project, or of another one',
    '--session [id]': 'that of this session, or of another one',
    '--all': 'every pause there is',
    '--json': 'as JSON',
  },
  who: ({ options }) => person(SILENCES, inThisSession('resume', options)),
  async run(options) {
    const parameters: ResumeParameters = options.all ? { all: true } : readWhose(options);
    const route = withQuery('/api/pauses', parameters);
    const answer = (await askWorker(findPaths(), route, { method: 'DELETE' })) as ResumeAnswer;
    if (options.json) return printJson(answer);
    console.log(answer.ended > 0 ? 'The pause is over.' : 'This was not paused.');
    for (const silence of answer.silences) console.log(`still ${describeSilence(silence, Date.now())}${remedy(silence)}`);
  },
});

function remedy({ kind, scope, name, reason }: Silence): string {
  if (reason) return '';
  const whose = scope === 'everything' ? '' : ` --${scope} ${quoteWord(name)}`;
  return kind === 'off' ? `: claude-mem config unset off${whose}` : `: claude-mem resume${whose}`;
}

/** Whose silence is meant on the command line: everything, a project, or one session. */
type WhoseOptions = { project?: ProjectOption; session?: string | true };
type Whose = { cwd?: string; project?: string; session?: string };

function readWhose({ project, session }: WhoseOptions): Whose {
  if (project !== undefined && session !== undefined) throw new Error('Say either --project or --session.');
  if (project !== undefined) return readPlace(project);
  if (session === undefined) return {};
  const id = session === true ? findCurrentSession() : session;
  if (id) return { session: id };
  throw new Error('There is no session here. Say its id: --session ID, or start one with CLAUDE_MEM_INCOGNITO=1.');
}

const SILENCES = 'It decides what is kept of your sessions.';

/** A terminal of the person's own does not know the session. */
function inThisSession(name: string, { session }: Record<string, unknown>): string | undefined {
  const id = findCurrentSession();
  const time = typeof session === 'string' && /^\d+\w$/.test(session) ? `${session} ` : '';
  if (id === null || (session !== true && time === '')) return undefined;
  return `claude-mem ${name} ${time}--session ${quoteWord(id)}`;
}
