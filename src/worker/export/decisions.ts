// Decisions of a project as Markdown files, one for each topic, for whoever wants them in git. Only on request.
import type { Database } from 'bun:sqlite';
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { AskError } from '../../core/ask-error.ts';
import { readPiece } from '../../regular-file.ts';
import { groupTopics } from '../../search/group-topics.ts';
import { listDecisions } from '../../store/memories/decisions.ts';
import type { Project } from '../../store/projects/projects.ts';
import type { JobControl } from '../jobs/job.ts';
import { markOf, nameTopic, renderTopic } from './decision-page.ts';

export type DecisionsTarget = { folder: string; project: Project };

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
