// What the person reads at the start of a session, each once: what is wrong, new rules of theirs, what an agent hid, which project this is.
import type { Database } from 'bun:sqlite';
import { parseRef } from '../core/memory.ts';
import { plainLine } from '../core/plain-line.ts';
import type { ProjectIdentity } from '../core/project.ts';
import { quoteWord } from '../core/text.ts';
import { readTellableByIds } from '../memory/for-context.ts';
import { readRows } from '../memory/read.ts';
import { ruleWords } from '../memory/rules.ts';
import { isProven, placeOf } from '../projects/keys.ts';
import { findWholeOf, type Project } from '../projects/projects.ts';
import { dropNotice, hiddenNotice, isNoticed, listHiddenByAgents, ruleNotice, ruleOfferNotice, takeNotice } from '../store/notices.ts';
import type { Piece } from './page.ts';
import { foldAcross } from './rules.ts';

/** More would be a page. */
const MOST_RULES = 3;
const MOST_HIDDEN = 5;
const LONGEST_NAME = 200;

/** That a folder has become part of a known project by its history, and how to undo it. */
export function sayJoined(db: Database, here: ProjectIdentity, project: Project, now: number): string {
  const whole = findWholeOf(db, project.id) ?? project;
  const place = placeOf(here);
  if (here.remote === null || !isProven(db, whole.id, here) || !takeNotice(db, `joined:${place}`, now)) return '';
  const name = `${plainLine(whole.name, LONGEST_NAME)} (${plainLine(whole.key, LONGEST_NAME)})`;
  return (
    `This folder joined the project ${name}, whose history it holds; ` +
    `\`claude-mem projects separate ${quoteWord(place)}\` makes it one of its own. `
  );
}

/** Rules that a session gets for the first time, and one that was said in several projects. */
export function sayRules(db: Database, pieces: Piece[], projectId: number, now: number): string {
  const given = pieces.flatMap(({ section, record }) => (section === 'rules' && record ? [record.ref.id] : []));
  const fresh = given.filter((id) => !isNoticed(db, ruleNotice(id)));
  if (fresh.length === 0) return '';
  const taken = db.transaction(() => fresh.filter((id) => takeNotice(db, ruleNotice(id), now))).immediate();
  if (taken.length === 0) return '';
  const named = readTellableByIds(db, taken).slice(0, MOST_RULES);
  const words = named.map((one) => `#${one.id} “${plainLine(ruleWords(one), 120)}”`).join(', ');
  const more = taken.length > named.length ? ` and ${taken.length - named.length} more` : '';
  const remove = `To remove ${taken.length > 1 ? 'one' : 'it'}: claude-mem rules remove ${taken.length > 1 ? 'ID' : taken[0]}.`;
  const offer = offerEverywhere(db, projectId, now);
  return ` New ${taken.length > 1 ? 'rules' : 'rule'} of yours, given to each session: ${words}${more}. ${remove}${offer}`;
}

/** Once for each, in whatever words it is said again: it is known by where it was said first. */
function offerEverywhere(db: Database, projectId: number, now: number): string {
  const offers = foldAcross(db, projectId).map(({ rule: { newest, older }, row }) => ({
    ...row,
    notice: ruleOfferNotice((older.at(-1) ?? newest).id),
  }));
  const offer = offers.find(({ notice }) => !isNoticed(db, notice));
  if (!offer || !takeNotice(db, offer.notice, now)) return '';
  return ` You said “${plainLine(offer.text, 80)}” in several projects. To apply it in all: claude-mem rules promote ${offer.id}.`;
}

/** What agents hid: a session that nobody attends repeats it. */
export function sayHidden(db: Database, isHeard: boolean): string {
  const ids = listHiddenByAgents(db);
  const refs = ids.flatMap((id) => parseRef(id) ?? []);
  const rows = readRows(db, refs, { withHidden: true });
  const still = ids.flatMap((id) => rows.get(id) ?? []);
  if (isHeard) for (const id of ids) dropNotice(db, hiddenNotice(id));
  if (still.length === 0) return '';
  const first = still.slice(0, MOST_HIDDEN);
  const named = first.map(({ id, title }) => `#${id} “${plainLine(title, 80)}”`).join(', ');
  const more = still.length > MOST_HIDDEN ? ` and ${still.length - MOST_HIDDEN} more` : '';
  const undo = `claude-mem forget --undo ${first.map(({ id }) => id).join(' ')}`;
  return ` An agent hid ${named}${more}. To show again: ${undo}. All that is hidden: claude-mem forget --hidden.`;
}

/** The greeting of a new project says it, too. */
export function sayTip(db: Database, message: string, now: number): string {
  if (!message || message.includes('<private>')) return '';
  return takeNotice(db, 'private-tip', now) ? ' Tip: text inside <private>…</private> is never kept.' : '';
}
