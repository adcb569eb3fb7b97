// The line for a person whose folder has become part of a known project by its history: which, and how to undo it.
import type { Database } from 'bun:sqlite';
import { plainLine } from '../../core/plain-line.ts';
import type { ProjectIdentity } from '../../core/project.ts';
import { quoteWord } from '../../core/quote-word.ts';
import { takeNotice } from '../../store/notices.ts';
import { isProven, placeOf } from '../../store/projects/project-roots.ts';
import { findWholeOf, type Project } from '../../store/projects/projects.ts';

const LONGEST = 200;

/** '' where there is nothing to say, or it was said. */
export function sayJoined(db: Database, here: ProjectIdentity, project: Project, now: number): string {
  const whole = findWholeOf(db, project.id) ?? project;
  const place = placeOf(here);
  if (here.remote === null || !isProven(db, whole.id, here) || !takeNotice(db, `joined:${place}`, now)) return '';
  const name = `${plainLine(whole.name, LONGEST)} (${plainLine(whole.key, LONGEST)})`;
  return `This folder joined the project ${name}, whose history it holds; \`claude-mem projects separate ${quoteWord(place)}\` makes it one of its own. `;
}
