// Decisions of a project as Markdown files, one for each topic, for whoever wants them in git. Only on request. The
// same decisions give the same bytes, and a new one comes at the end.
import type { Database } from 'bun:sqlite';
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { AskError } from '../core/ask-error.ts';
import { hashParts } from '../core/ids.ts';
import type { JobControl } from '../core/job.ts';
import { parseRef } from '../core/memory.ts';
import type { Outcome } from '../core/observation.ts';
import { oneLine } from '../core/text.ts';
import { CONTENT, hashContent, readFacts, readStrings, type StoredContent } from '../memory/observations.ts';
import { readReplacedBy, readRows } from '../memory/read.ts';
import { holds } from '../memory/trusted.ts';
import type { Project } from '../projects/projects.ts';
import { readPiece } from '../regular-file.ts';
import { stemsOf } from '../search/alike.ts';
import { isStopWord } from '../search/stop-words.ts';
import { readAll } from '../store/read.ts';

type DecisionsTarget = { folder: string; project: Project };

export async function exportDecisions(
  db: Database,
  { folder, project }: DecisionsTarget,
  { report, pause, signal }: JobControl,
): Promise<string[]> {
  if (!isAbsolute(folder)) throw new AskError('invalid', `${folder} is not an absolute path.`, 'Give the whole path.');
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new AskError('conflict', `${folder} is not a folder.`, 'Name another one.');
  const decisions = listDecisions(db, project.id);
  await pause();
  const topics = groupTopics(decisions.map((one) => ({ ...one, newer: Number(one.replacedBy?.id) || null })));
  mkdirSync(folder, { recursive: true });
  const names = createNames(folder, markOf(project.key));
  const tally = { written: 0, same: 0, removed: 0 };
  for (const [at, topic] of topics.entries()) {
    const path = join(folder, names.take(nameTopic(topic[0]?.title ?? '')));
    const page = renderTopic(project.key, topic);
    if (writeIfNew(path, page)) tally.written++;
    else tally.same++;
    report({ step: 'writing', done: at + 1, total: topics.length, unit: 'rows', counts: { topics: at + 1 } });
    await pause();
    if (signal.aborted) return [`${tally.written} files were written.`];
  }
  for (const name of names.untaken()) {
    rmSync(join(folder, name));
    tally.removed++;
  }
  return [
    `${decisions.length} decisions of ${project.name} on ${topics.length} topics in ${folder}`,
    `${tally.written} files written, ${tally.same} as they were, ${tally.removed} removed`,
  ];
}

/** Names of files that are free or ours. */
function createNames(folder: string, mark: string) {
  const there = new Set(readdirSync(folder).map((name) => name.normalize('NFC').toLowerCase()));
  const ours = new Set(readdirSync(folder).filter((name) => name.endsWith('.md') && isOurs(join(folder, name), mark)));
  const taken = new Set<string>();
  return {
    take(topic: string): string {
      for (let number = 1; ; number++) {
        const name = `${topic}${number === 1 ? '' : `-${number}`}.md`;
        if (taken.has(name) || (there.has(name) && !ours.has(name))) continue;
        taken.add(name);
        return name;
      }
    },
    /** Ours, of topics that are gone. */
    untaken: () => [...ours].filter((name) => !taken.has(name)),
  };
}

function isOurs(path: string, mark: string): boolean {
  if (!lstatSync(path).isFile()) return false;
  return readPiece(path, Buffer.byteLength(mark)).toString('utf8') === mark;
}

/** False when it says the same already: its time stays as it is. */
function writeIfNew(path: string, page: string): boolean {
  const isThere = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  if (isThere && readPiece(path, Buffer.byteLength(page) + 1).toString('utf8') === page) return false;
  const part = `${path}.claude-mem-part`;
  rmSync(part, { force: true });
  writeFileSync(part, page, { flag: 'wx' });
  renameSync(part, path);
  return true;
}

/** The first line of every file that is ours: what does not begin with it is never touched. */
export const markOf = (projectKey: string) => `<!-- claude-mem decisions ${hashParts([projectKey]).slice(0, 16)}`;
const MADE_BY = ': written by `claude-mem export --decisions` and rewritten by it. What you change here is lost. -->';

function renderTopic(projectKey: string, decisions: Decision[]): string {
  const [first] = decisions;
  const heading = `# ${escapeLine(first?.title ?? '')}`;
  return `${[`${markOf(projectKey)}${MADE_BY}`, heading, ...decisions.map(renderDecision)].join('\n\n')}\n`;
}

function renderDecision({ title, narrative, facts, files, outcome, replacedBy, at }: Decision): string {
  const head = `${dayOf(at)} · ${escapeLine(title)}`;
  const said = [
    replacedBy
      ? `${replacedBy.isCertain ? 'Replaced' : 'May be replaced'} by: ${escapeLine(replacedBy.title)} (${dayOf(replacedBy.at)})`
      : '',
    narrative ? escapeText(narrative) : '',
    facts.map((fact) => `- ${escapeLine(fact)}`).join('\n'),
    files.length > 0 ? `Files: ${[...new Set(files)].map((file) => `\`${oneLine(file.replaceAll('`', "'"))}\``).join(', ')}` : '',
    outcome ? `Outcome: ${outcome}` : '',
  ];
  return [replacedBy?.isCertain ? `## ~~${head}~~` : `## ${head}`, ...said.filter((part) => part !== '')].join('\n\n');
}

/** In UTC: the same on every machine. */
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Words are words: they open no tag, no comment and no strike-through. */
const escapeWords = (text: string) => text.replace(/[<\\]/g, '\\$&').replaceAll('~~', '\\~~');
const escapeLine = (text: string) => escapeWords(oneLine(text, 300));
/** A line that would begin a heading, a list, a quote or a fence begins a line of text. */
const escapeText = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => escapeWords(line.trimEnd()).replace(/^(\s*)([#>|=+-]|`{3}|~{3})/, '$1\\$2'))
    .join('\n');

const NAME_WORDS = 6;
const LONGEST_NAME = 60;

/** `retry-queue-backoff`, of the words that say something. */
function nameTopic(title: string): string {
  const words = (
    title
      .toLowerCase()
      .normalize('NFC')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).filter((word) => !isStopWord(word));
  const name = words.slice(0, NAME_WORDS).join('-').slice(0, LONGEST_NAME).replace(/-+$/, '');
  return name || 'decision';
}

type Titled = {
  id: number;
  title: string;
  /** What replaces it is of its topic, whatever its words are. */
  newer: number | null;
};

/** Of the shorter title so much is in the other. */
const SHARED = 0.5;
const LEAST_SHARED = 2;

/**
 * Which of some titles are about one topic, in the order given, which is that of time: a topic is called by the first of its titles. What
 * was grouped before stays together when something new comes at the end.
 */
function groupTopics<T extends Titled>(items: T[]): T[][] {
  const topics: { words: Set<string>; items: T[] }[] = [];
  const byNewer = new Map<number, (typeof topics)[number]>();
  for (const item of items) {
    const words = stemsOf(item.title);
    const linked = byNewer.get(item.id) ?? byNewer.get(item.newer ?? 0);
    const known = linked ?? topics.find((topic) => isSameTopic(topic.words, words));
    const topic = known ?? { words, items: [] };
    if (!known) topics.push(topic);
    topic.items.push(item);
    if (item.newer !== null) byNewer.set(item.newer, topic);
  }
  return topics.map((topic) => topic.items);
}

function isSameTopic(one: Set<string>, other: Set<string>): boolean {
  let shared = 0;
  for (const word of one) if (other.has(word)) shared++;
  return shared >= LEAST_SHARED && shared / Math.min(one.size, other.size) >= SHARED;
}

type Decision = {
  id: number;
  title: string;
  narrative: string | null;
  facts: string[];
  files: string[];
  outcome: Outcome | null;
  /** The newest that stands in its place, or may do so. */
  replacedBy: { id: string; isCertain: boolean; title: string; at: number } | null;
  at: number;
};

type Row = StoredContent & { id: number; hash: string; at: number };

/** Oldest first, so that what is new comes at the end. Those that are not what was stored are left out. */
function listDecisions(db: Database, projectId: number): Decision[] {
  const sql = `SELECT id, ${CONTENT}, hash, created_at_epoch AS at
    FROM observations o WHERE o.project_id = ? AND o.type = 'decision' AND ${holds('o')} ORDER BY o.created_at_epoch, o.id`;
  const rows = readAll<Row>(db, sql, projectId).filter((row) => row.hash === hashContent(row));
  const marks = readReplacedBy(
    db,
    rows.map(({ id }) => ({ kind: 'observation', id })),
  );
  const newer = readRows(
    db,
    [...marks.values()].flatMap(({ id }) => parseRef(id) ?? []),
  );
  return rows.flatMap((row) => {
    const mark = marks.get(String(row.id));
    const by = mark && newer.get(mark.id);
    const title = row.title ?? row.narrative;
    if (title === null) return [];
    return {
      id: row.id,
      title,
      narrative: row.title === null ? null : (row.narrative ?? row.subtitle),
      facts: readFacts(row.facts).map(({ text }) => text),
      files: [...readStrings(row.filesModified), ...readStrings(row.filesRead)],
      outcome: row.outcome,
      replacedBy: mark && by ? { id: by.id, isCertain: mark.isCertain, title: by.title, at: by.at } : null,
      at: row.at,
    };
  });
}
