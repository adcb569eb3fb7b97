// npm run bench:context [-- --long|--short] [--part work|unseen] [--case NAME] [--data DIR] [--sessions DIR] [--json] [--show] [--paraphrased] [--embedder minilm|static|off]:
// what a session gets with a prompt, before an edit and after an error.
//
// Long sessions (long.ts): those of bench:memory, the unseen part first; with the static embedder unless one is named.
// Short ones: the past comes through the product's door: every conversation of sde-bench and every decoy as hooks of one project, a day apart,
// observed by the local observer, compared, indexed. Then each bug report is the first prompt of a new session. Counted are tasks:
//   cited        the block cites (#12, S3, P4) a memory of a conversation that holds the decision and was not amended later
//   policyWords  the block has every number of the task's policy, and at least three quarters of its other words, by stem
//                (see policy-words.ts; nothing but the told lines counts, and no other source)
//   supersededShownAsCurrent  a record or a line comes from a conversation that was amended later, without a mark that says so
//   unrelatedInjected         prompts that the project knows nothing about, and that are told something all the same
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findSession } from '../../src/capture/sessions.ts';
import { createPromptNote, type PromptNote } from '../../src/context/found-notes.ts';
import { joinPieces, type Piece } from '../../src/context/page.ts';
import { formatRef } from '../../src/core/memory.ts';
import { readMemories } from '../../src/memory/read.ts';
import { ENGINES } from '../../src/search/embed/engines.ts';
import type { Finder } from '../../src/search/find.ts';
import { type Case, loadCases, type Part } from '../memory/case.ts';
import { type Played, play } from '../memory/play.ts';
import { askQuestions, describeQuestions } from '../memory/questions.ts';
import { ASSETS, createBank } from '../retrieval/bank.ts';
import { buildPlugin } from '../spine/built-plugin.ts';
import { describeNotes, scoreNotes } from './long.ts';
import { addFirstPrompt } from './past.ts';
import { saysPolicy } from './policy-words.ts';
import { PARAPHRASED, UNRELATED } from './prompts.ts';
import { loadPast, type Past, type Task } from './sde-past.ts';

const { values: options } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    part: { type: 'string' },
    case: { type: 'string' },
    sessions: { type: 'string', default: resolve(import.meta.dir, '../../../shared/samples/sessions') },
    data: { type: 'string', default: resolve(import.meta.dir, '../../../shared/data') },
    json: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
    paraphrased: { type: 'boolean', default: false },
    embedder: { type: 'string' },
  },
});

/** Of long sessions the larger model takes ten times as long to index, and changes a figure or two. */
const QUICK = 'static';

process.exit(await main());

async function main(): Promise<number> {
  const embedder = options.embedder ?? 'minilm';
  if (embedder !== 'minilm' && embedder !== 'static' && embedder !== 'off') return fail(`no embedder is called ${embedder}`);
  const long = options.short ? {} : await measureLong();
  const short = options.long ? {} : await measureShort(embedder);
  if (short === null) return 1;
  if (options.json) console.log(JSON.stringify({ long, short }));
  return 0;
}

async function measureLong() {
  const parts: Part[] = options.part === 'work' || options.part === 'unseen' ? [options.part] : ['unseen', 'work'];
  const built = await buildPlugin();
  const results: Record<string, unknown> = {};
  try {
    for (const part of parts) {
      const isWanted = ({ name }: Case) => options.case === undefined || part === 'unseen' || name.includes(options.case);
      const cases = loadCases(part).filter(isWanted);
      const played = await play(cases, { built, sessions: options.sessions, embedder: options.embedder ?? QUICK });
      const { questions, english, others, missed } = await scoreAll(cases, played).finally(played.close);
      results[part] = { questions: questions.arms, english, others };
      // What was missed of the unseen part is nobody's to know: it would be worked on.
      const lines = options.show && part === 'work' ? missed : [];
      const said = [
        ...describeNotes(`${part}, English`, english),
        ...describeNotes(`${part}, other languages`, others),
        ...describeQuestions(part, questions),
      ];
      if (!options.json) for (const line of [...lines, ...said]) console.log(line);
    }
  } finally {
    built.dispose();
  }
  return results;
}

/** The questions first: what is played of notes becomes a session itself. */
async function scoreAll(cases: Case[], played: Played) {
  const questions = await askQuestions(cases, played);
  return { questions, ...(await scoreNotes(cases, played)) };
}

async function measureShort(embedder: 'minilm' | 'static' | 'off') {
  if (!existsSync(options.data)) {
    fail(`There is no folder ${options.data}. Name the one with the benchmark files: --data DIR`);
    return null;
  }
  const bank = createBank();
  const past = loadPast(bank.db, options.data);
  if (!past) {
    fail(`${options.data} has no sde-bench.json`);
    return null;
  }
  const finder = await bank.index(embedder === 'off' ? null : ENGINES[embedder].load(ASSETS));
  const result = await measure(finder, past);
  if (!options.json) for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(26)}${value}`);
  await bank.close();
  return result;
}

function fail(reason: string): number {
  console.error(reason);
  return 1;
}

async function measure(finder: Finder, past: Past) {
  const asked = options.paraphrased ? paraphrase(past.tasks) : past.tasks;
  const note = createPromptNote({ db: finder.db, finder, checkFreshness: async () => new Map(), clock: Date.now });
  const result = {
    n: asked.length,
    cited: 0,
    policyWords: 0,
    supersededShownAsCurrent: 0,
    unrelatedInjected: 0,
    unrelatedOf: UNRELATED.length,
    amended: 0,
    amendedOf: 0,
    notes: 0,
    characters: 0,
    slowestMs: 0,
  };
  for (const task of asked) {
    const { records, text, ms } = await ask(finder, note, task.prompt);
    const isCited = records.some(({ sessionId }) => task.holding.includes(sessionId));
    // An id or a date must not pass for a number of the policy.
    const said = saysPolicy(records.map(({ said }) => said).join('\n'), task.policy);
    const isOutdated = showsAmended(records, task, past.texts);
    result.cited += Number(isCited);
    result.policyWords += Number(said.isSaid);
    result.supersededShownAsCurrent += Number(isOutdated);
    result.amendedOf += Number(task.isAmended);
    result.amended += Number(task.isAmended && isCited && !isOutdated);
    result.notes += Number(text !== '');
    result.characters += text.length;
    result.slowestMs = Math.max(result.slowestMs, Math.round(ms));
    if (options.json) continue;
    const missing = [...said.missingNumbers, ...said.missingWords].join(' ');
    console.log(
      `${task.name.padEnd(32)}${mark(isCited, 'cited')}${mark(said.isSaid, 'policy')}${isOutdated ? 'OUTDATED ' : ''}${missing && `missing: ${missing}`}`,
    );
    if (options.show) show(task, text);
  }
  for (const prompt of UNRELATED) {
    const { text } = await ask(finder, note, prompt);
    if (text === '') continue;
    result.unrelatedInjected++;
    if (!options.json) console.log(`unrelated: ${prompt}\n${text}`);
  }
  return result;
}

function mark(isSo: boolean, word: string): string {
  return (isSo ? word : '-').padEnd(9);
}

function show({ prompt, policy }: Task, text: string): void {
  console.log(`\n  prompt: ${prompt}\n  policy: ${policy}\n${(text || '(nothing)').replace(/^/gm, '  | ')}\n`);
}

/** `said`: without its id and its day. */
type Given = { sessionId: number; isMarked: boolean; said: string };

/** A new session: its prompt is in the store before anything is looked for, as it is in the product. */
async function ask(finder: Finder, note: PromptNote, prompt: string) {
  const { db } = finder;
  const session = findSession(db, addFirstPrompt(db, prompt));
  if (!session) throw new Error('the prompt did not come through the door');
  const { projectId, id: sessionId } = session;
  const started = performance.now();
  const pieces = await note({ prompt, projectId, root: '', sessionId, isExcluded: () => false });
  const ms = performance.now() - started;
  // As if each were the only one that was asked.
  db.query('DELETE FROM sessions WHERE id = ?').run(session.id);
  db.query('DELETE FROM documents WHERE session_id = ?').run(session.id);
  return { records: pieces.flatMap((piece) => readGiven(finder, piece)), text: joinPieces(pieces), ms };
}

function readGiven({ db }: Finder, { text, record }: Piece): Given[] {
  if (!record || record.ref.kind === 'session') return [];
  const id = formatRef({ kind: record.ref.kind, id: record.ref.id });
  const row = readMemories(db, [{ kind: record.ref.kind, id: record.ref.id }]).get(id);
  const session = row?.session ? findSession(db, row.session) : null;
  const said = text.replace(/^#\S+ \S+ /, '');
  return session ? [{ sessionId: session.id, isMarked: /may be replaced/.test(text), said }] : [];
}

function showsAmended(records: Given[], { amended, holding }: Task, texts: Map<number, string>): boolean {
  const flat = (sessions: number[]) => sessions.map((session) => plain(texts.get(session) ?? '')).join('\n');
  const [older, newer] = [flat(amended), flat(holding)];
  const isOlder = (text: string) => {
    const said = plain(text);
    return said.length > 20 && older.includes(said) && !newer.includes(said);
  };
  return records.some(({ sessionId, isMarked, said }) => !isMarked && (amended.includes(sessionId) || said.split(/\n| … /).some(isOlder)));
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function paraphrase(tasks: Task[]): Task[] {
  return PARAPHRASED.flatMap(([name, prompt]) => {
    const task = tasks.find((one) => one.name.includes(`-${name}-`));
    return task ? [{ ...task, prompt }] : [];
  });
}
