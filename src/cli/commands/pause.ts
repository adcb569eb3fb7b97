// `claude-mem pause` and `resume`: for a while nothing is stored and nothing added to sessions. What a setting turns off stays off.
import { askWorker } from '../../client/api.ts';
import { withQuery } from '../../client/memory-api.ts';
import type { ResumeAnswer, Silence, SilenceAnswer } from '../../core/shapes/silence.ts';
import { describeSilence } from '../../core/silence.ts';
import { quoteWord } from '../../core/text.ts';
import { parseUntil } from '../../core/time.ts';
import { findCurrentSession, findPaths } from '../../paths.ts';
import { command, misuse, person } from '../command.ts';
import { type Place, type ProjectOption, readPlace } from '../options.ts';

export const pauseCommand = command({
  name: 'pause [time...]',
  about: 'Store nothing and add nothing, for a time or until `resume`',
  options: { '--project [name]': 'Only this project, or another one', '--session [id]': 'Only this session, or another one' },
  help:
    'A time is 30m, 1h, 2d or until 18:00. ' +
    'Inside of a session --session alone is that one. `CLAUDE_MEM_INCOGNITO=1 claude` makes a whole session private.',
  examples: ['claude-mem pause 1h', 'claude-mem pause until 18:00 --project', 'claude-mem pause --session'],
  who: ({ options }) => person(DECIDES, inThisSession('pause', options)),
  async run(words, options) {
    const now = Date.now();
    const until = words.length > 0 ? parseUntil(words.join(' '), now) : null;
    const whose = readWhose(options);
    const body = { ...whose, ...(until !== null && { until: new Date(until).toISOString() }) };
    const answer = await askWorker<SilenceAnswer>(findPaths(), '/api/pauses', { method: 'POST', body });
    const project = typeof options.project === 'string' ? ` ${quoteWord(options.project)}` : '';
    // A session by its id, so that it can be said in any terminal.
    const end = whose.session ? ` --session ${quoteWord(whose.session)}` : options.project ? ` --project${project}` : '';
    const next = `Nothing of it is stored, now or later, or added to sessions. \`claude-mem resume${end}\` ends it.`;
    return { answer, text: () => [...answer.silences.map((silence) => describeSilence(silence, now)), next].join('\n') };
  },
});

export const resumeCommand = command({
  name: 'resume',
  about: 'End the pause',
  options: {
    '--project [name]': 'That of this project, or of another one',
    '--session [id]': 'That of this session, or of another one',
    '--all': 'Every pause there is',
  },
  who: ({ options }) => person(DECIDES, inThisSession('resume', options)),
  async run(options) {
    const parameters = options.all ? { all: true } : readWhose(options);
    const answer = await askWorker<ResumeAnswer>(findPaths(), withQuery('/api/pauses', parameters), { method: 'DELETE' });
    const still = answer.silences.map((silence) => `still ${describeSilence(silence, Date.now())}${remedy(silence)}`);
    return { answer, text: () => [answer.ended > 0 ? 'The pause is over.' : 'This was not paused.', ...still].join('\n') };
  },
});

function remedy({ kind, scope, name, reason }: Silence): string {
  if (reason) return '';
  const whose = scope === 'everything' ? '' : ` --${scope} ${quoteWord(name)}`;
  return kind === 'off' ? `: claude-mem config unset off${whose}` : `: claude-mem resume${whose}`;
}

const DECIDES = 'It decides what is stored of your sessions.';

/** What is meant on the command line: everything, a project, or one session. */
function readWhose({ project, session }: { project?: ProjectOption; session?: string | true }): Place & { session?: string } {
  if (project !== undefined && session !== undefined) throw misuse('Say either --project or --session.');
  // `--session 1h`: the option takes the time for its own, and the session would not be paused.
  const taken = [project, session].find((value) => typeof value === 'string' && /^\d+[mhd]$/i.test(value));
  if (taken) throw misuse(`Say the time before the option: claude-mem pause ${taken} --${project ? 'project' : 'session'}`);
  if (project !== undefined) return readPlace(project);
  if (session === undefined) return {};
  const id = session === true ? findCurrentSession() : session;
  if (id) return { session: id };
  throw misuse('There is no session here. Say its id: --session ID, or start one with CLAUDE_MEM_INCOGNITO=1.');
}

/** A terminal of the person's own does not know the session. */
function inThisSession(name: string, { session }: Record<string, unknown>): string | undefined {
  const id = findCurrentSession();
  return id !== null && session === true ? `claude-mem ${name} --session ${quoteWord(id)}` : undefined;
}
