// npm run bench:memory [-- --sessions DIR] [--part work|unseen] [--show] [--json] [--case NAME,...] [--embedder static|minilm|off]: long sessions, and what a later one asks.
//
// Arms, each counted in questions answered and characters read: the page of a starting session, the note with the question as a prompt, one
// search, three searches, and grep over the raw transcripts with as many calls; then search and grep each by the question and by the same words. Then the start page by its sections (sections.ts), and the memories themselves (memories.ts). `--show` names what was missed, of the part to work on alone.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPlugin } from '../spine/built-plugin.ts';
import { type Case, loadCases, type Part } from './case.ts';
import { describeMemories, scoreMemories } from './memories.ts';
import { type Played, play } from './play.ts';
import { askQuestions, describeQuestions } from './questions.ts';
import { describeSections, scoreSections } from './sections.ts';

const { values: options } = parseArgs({
  options: {
    sessions: { type: 'string', default: resolve(import.meta.dir, '../../../shared/samples/sessions') },
    part: { type: 'string' },
    case: { type: 'string' },
    embedder: { type: 'string', default: 'minilm' },
    show: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

process.exit(await main());

async function main(): Promise<number> {
  const parts: Part[] = options.part === 'work' || options.part === 'unseen' ? [options.part] : ['unseen', 'work'];
  const built = await buildPlugin();
  const results: Record<string, unknown> = {};
  try {
    for (const part of parts) results[part] = await measure(part, built);
  } finally {
    built.dispose();
  }
  if (options.json) console.log(JSON.stringify(results));
  return 0;
}

async function measure(part: Part, built: Awaited<ReturnType<typeof buildPlugin>>) {
  const isWanted = ({ name }: Case) =>
    options.case === undefined || part === 'unseen' || options.case.split(',').some((wanted) => name.includes(wanted));
  const cases = loadCases(part).filter(isWanted);
  const played = await play(cases, { built, sessions: options.sessions, embedder: options.embedder });
  try {
    const results: Record<string, unknown> = {};
    for (const [name, some] of groupsOf(part, cases)) results[name] = await measureGroup(name, some, played);
    return results;
  } finally {
    await played.close();
  }
}

/** The unseen cases about real sessions were worked on until 2026-11-17: what never was comes first. */
function groupsOf(part: Part, cases: Case[]): [string, Case[]][] {
  if (part === 'work') return [[part, cases]];
  return [
    ['unseen, never worked on', cases.filter(({ transcript }) => !transcript)],
    ['unseen, all', cases],
  ];
}

async function measureGroup(name: string, cases: Case[], played: Played) {
  const questions = await askQuestions(cases, played);
  const sections = await scoreSections(cases, played);
  const { english, others, missed } = await scoreMemories(cases, played);
  if (!options.json) {
    const memories = [...describeMemories('English', english), ...describeMemories('other languages', others)];
    for (const line of [...describeQuestions(name, questions), ...describeSections(sections), ...memories]) console.log(line);
  }
  // What was missed of the unseen part is nobody's to know: it would be worked on.
  if (options.show && name === 'work') for (const line of [...questions.missed, ...missed]) console.log(line);
  return { questions: questions.arms, sections, english, others };
}
