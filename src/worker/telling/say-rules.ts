// What the user reads of their rules, each once: one that a session gets for the first time, and one that they said in several projects.
import type { Database } from 'bun:sqlite';
import type { Piece } from '../../context/page.ts';
import { plainLine } from '../../core/plain-line.ts';
import { ruleWords } from '../../memory/rules.ts';
import { isNoticed, ruleNotice, ruleOfferNotice, takeNotice } from '../../store/notices.ts';
import { readTellableByIds } from '../../store/trust/tellable-observations.ts';
import { foldAcross } from '../corrections/rules.ts';

/** More would be a page. */
const MOST_NAMED = 3;

/** '' mostly. Only for a session that somebody reads. */
export function sayRules(db: Database, pieces: Piece[], projectId: number, now: number): string {
  const given = pieces.flatMap(({ section, record }) => (section === 'rules' && record ? [record.ref.id] : []));
  const fresh = given.filter((id) => !isNoticed(db, ruleNotice(id)));
  if (fresh.length === 0) return '';
  const taken = db.transaction(() => fresh.filter((id) => takeNotice(db, ruleNotice(id), now))).immediate();
  if (taken.length === 0) return '';
  const named = readTellableByIds(db, taken).slice(0, MOST_NAMED);
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
