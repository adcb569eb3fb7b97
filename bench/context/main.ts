// npm run bench:context [-- --data DIR] [--json] [--show] [--paraphrased] [--embedder minilm|static|off]: what a first prompt is told.
//
// The past comes through the product's door: every conversation of sde-bench and every decoy as hooks of one project, a day apart,
// distilled by the local observer, compared, indexed. Then each bug report is the first prompt of a new session. Counted are tasks:
//   cited        the block cites (#12, S3, P4) a memory of a conversation that holds the decision and was not amended later
//   policyWords  the block has every number of the task's policy, and at least three quarters of its other words, by stem
//                (see policy-words.ts; nothing but the told lines counts, and no other source)
//   supersededShownAsCurrent  a record or a line comes from a conversation that was amended later, without a mark that says so
//   unrelatedInjected         prompts that the project knows nothing about, and that are told something all the same
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Recall, recallForPrompt, renderRecall } from '../../src/context/recall.ts';
import { ENGINES } from '../../src/search/embed/engines.ts';
import type { Finder } from '../../src/search/find.ts';
import { findSession } from '../../src/store/sessions/sessions.ts';
import { ASSETS, createBank } from '../retrieval/bank.ts';
import { addFirstPrompt } from './past.ts';
import { saysPolicy } from './policy-words.ts';
import { PARAPHRASED, UNRELATED } from './prompts.ts';
import { loadPast, type Past, type Task } from './sde-past.ts';

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: resolve(import.meta.dir, '../../../shared/data') },
    json: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
    paraphrased: { type: 'boolean', default: false },
    embedder: { type: 'string', default: 'minilm' },
  },
});

process.exit(await main());

async function main(): Promise<number> {
  const { embedder } = options;
  if (embedder !== 'minilm' && embedder !== 'static' && embedder !== 'off')
    return fail(`no embedder is called ${embedder}`);
  if (!existsSync(options.data))
    return fail(`There is no folder ${options.data}. Name the one with the benchmark files: --data DIR`);
  const bank = createBank();
  const past = loadPast(bank.db, options.data);
  if (!past) return fail(`${options.data} has no sde-bench.json`);
  const finder = await bank.index(embedder === 'off' ? null : ENGINES[embedder].load(ASSETS));
  const result = await measure(finder, past);
  if (options.json) console.log(JSON.stringify(result));
  else for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(26)}${value}`);
  await bank.close();
  return 0;
}

function fail(reason: string): number {
  console.error(reason);
  return 1;
}

async function measure(finder: Finder, past: Past) {
  const asked = options.paraphrased ? paraphrase(past.tasks) : past.tasks;
  const result = {
    n: asked.length,
    cited: 0,
    policyWords: 0,
    supersededShownAsCurrent: 0,
    unrelatedInjected: 0,
    unrelatedOf: UNRELATED.length,
    amended: 0,
    amendedOf: 0,
    longest: 0,
    slowestMs: 0,
  };
  for (const task of asked) {
    const { recall, lines, ms } = await ask(finder, task.prompt);
    const isCited = recall?.records.some(({ sessionId }) => task.holding.includes(sessionId)) ?? false;
    // An id or a date must not pass for a number of the policy.
    const told = recall?.records.flatMap(({ title, lines }) => [title, ...lines]) ?? [];
    const said = saysPolicy(told.join('\n'), task.policy);
    const isOutdated = recall !== null && showsAmended(recall, task, past.texts);
    result.cited += Number(isCited);
    result.policyWords += Number(said.isSaid);
    result.supersededShownAsCurrent += Number(isOutdated);
    result.amendedOf += Number(task.isAmended);
    result.amended += Number(task.isAmended && isCited && !isOutdated);
    result.longest = Math.max(result.longest, lines.join('\n').length);
    result.slowestMs = Math.max(result.slowestMs, Math.round(ms));
    if (options.json) continue;
    const missing = [...said.missingNumbers, ...said.missingWords].join(' ');
    console.log(
      `${task.name.padEnd(32)}${mark(isCited, 'cited')}${mark(said.isSaid, 'policy')}${isOutdated ? 'OUTDATED ' : ''}${missing && `missing: ${missing}`}`,
    );
    if (options.show) show(task, lines);
  }
  for (const prompt of UNRELATED) {
    const { recall, lines } = await ask(finder, prompt);
    if (recall) result.unrelatedInjected++;
    if (recall && !options.json) console.log(`unrelated: ${prompt}\n${lines.join('\n')}`);
  }
  return result;
}

function mark(isSo: boolean, word: string): string {
  return (isSo ? word : '-').padEnd(9);
}

function show({ prompt, policy }: Task, lines: string[]): void {
  console.log(
    `\n  prompt: ${prompt}\n  policy: ${policy}\n${lines.map((line) => `  | ${line}`).join('\n') || '  | (nothing)'}\n`,
  );
}

/** A new session: its prompt is in the store before anything is looked for, as it is in the product. */
async function ask(finder: Finder, prompt: string) {
  const id = addFirstPrompt(finder.db, prompt);
  const session = findSession(finder.db, id);
  if (!session) throw new Error('the prompt did not come through the door');
  const started = performance.now();
  const recall = await recallForPrompt(finder, { prompt, projectIds: [session.projectId], exceptSession: session.id });
  const ms = performance.now() - started;
  // As if each were the only one that was asked.
  finder.db.query('DELETE FROM sessions WHERE id = ?').run(session.id);
  finder.db.query('DELETE FROM documents WHERE session_id = ?').run(session.id);
  return { recall, lines: recall ? renderRecall(recall) : [], ms };
}

function showsAmended({ records }: Recall, { amended, holding }: Task, texts: Map<number, string>): boolean {
  const flat = (sessions: number[]) => sessions.map((session) => plain(texts.get(session) ?? '')).join('\n');
  const [older, newer] = [flat(amended), flat(holding)];
  const isOlder = (text: string) => {
    const said = plain(text.replace(/^User: /, ''));
    return said.length > 20 && older.includes(said) && !newer.includes(said);
  };
  return records.some(
    ({ sessionId, mark, title, lines }) =>
      mark === null && (amended.includes(sessionId) || [title, ...lines].some(isOlder)),
  );
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
