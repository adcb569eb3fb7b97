// Bugs fixed beside the main work of a turn, when the agent names them: each is its own observation.
import type { ObservationDraft } from '../../core/observation.ts';
import { conceptsFor } from './concepts.ts';
import { fact, makeDraft } from './draft.ts';
import { changesOf, type FileChange } from './edits/changes.ts';
import { describeFile } from './edits/describe.ts';
import { isNoCause, type Work } from './piece-of-work.ts';
import type { Repair } from './repairs.ts';
import { contentWords, overlap, sharedWords } from './text/tokens.ts';
import type { Line, Turn } from './turn.ts';
import { checksOf, describeRun, outcomeOf } from './verification.ts';
import { findCause } from './words/cause.ts';
import { headline } from './words/lead-in.ts';
import { findNextSteps } from './words/next-step.ts';
import { typeOfVerb } from './words/verbs.ts';
import { commitFacts } from './work-facts.ts';
import { workTitle } from './work-title.ts';

export function extraFixes(turn: Turn, work: Work): ObservationDraft[] {
  const taken = [workTitle(turn, work).text, work.head?.text ?? ''];
  const found: Line[] = [];
  for (const line of work.lines) {
    const text = headline(line.text);
    if (line === work.head?.line || !(namesABug(line, text) || explainsRepair(line, work))) continue;
    if ([...taken, ...found.map((one) => one.text)].some((other) => overlap(other, text) >= 0.6)) continue;
    found.push(line);
  }
  // One plain "Fixed …" sentence in a fix tells the same fix again; a list of them tells several.
  const several =
    work.type !== 'bugfix' || found.filter((line) => line.item || /\balso\b/i.test(line.text)).length === found.length;
  return several ? found.slice(0, 4).map((line) => fixDraft(turn, work, line)) : [];
}

/** "Fixed both bugs: - … - …" is as many fixes as items; null when the message lists none. */
export function listedFixes(turn: Turn, work: Work): ObservationDraft[] | null {
  if (work.type !== 'bugfix') return null;
  const items = work.lines.filter((line, at) => line.item && line.block !== work.lines[at - 1]?.block);
  const listed = items.filter((line) => listsFixes(line.section));
  const telling = listed.filter((line) => contentWords(line.text).size >= 4 && !/^(?:test|file)s?\b/i.test(line.text));
  const used = telling.length >= 2 && telling.length === listed.length ? telling : apart(items, work);
  return used.length >= 2 ? used.slice(0, 5).map((line) => fixDraft(turn, work, line)) : null;
}

/** Items under any heading that each give a reason and name changes of their own. */
function apart(items: Line[], work: Work): Line[] {
  const reasons = items.filter((line) => namesABug(line, headline(line.text)) || findCause([line], isNoCause) !== null);
  const named = reasons.map((line) => work.changes.filter((change) => isNamed(change, line.text)));
  const isApart = named.every(
    (one, at) =>
      one.length > 0 && named.every((other, to) => at === to || !one.some((change) => other.includes(change))),
  );
  return isApart ? reasons : [];
}

function listsFixes(section: string): boolean {
  return (
    /\b(?:bugs|issues|problems|fixes|fixed (?:both|two|three|four|all|the following|\d+))\b/.test(section) &&
    !/\b(?:remaining|open|known|left|next)\b/.test(section)
  );
}

/** Something broke on the way, and the agent says why: worth more than a line in the main work. */
function explainsRepair(line: Line, work: Work): boolean {
  if (work.type === 'bugfix' || findCause([line], isNoCause) === null || findNextSteps([line]).length > 0) return false;
  return work.repairs.some((repair) => repair.success !== null && isAbout(line, repair));
}

function isAbout(line: Line, repair: Repair): boolean {
  const names = repair.edits.map((edit) => edit.file.split('/').at(-1) ?? '').filter((name) => name.length > 3);
  return names.some((name) => line.text.includes(name)) || sharedWords(line.text, describeRun(repair.failure)) >= 2;
}

function namesABug(line: Line, text: string): boolean {
  return (
    !isNoCause(line) &&
    typeOfVerb(text) === 'bugfix' &&
    contentWords(text).size >= 4 &&
    !/^fix(?:ed)?\s+(?:by|in|with|this|it)\b/i.test(line.text)
  );
}

function fixDraft(turn: Turn, work: Work, line: Line): ObservationDraft {
  const repairs = work.type === 'bugfix' ? [] : work.repairs.filter((repair) => isAbout(line, repair));
  const repaired = changesOf(repairs.flatMap((repair) => repair.edits));
  const named = work.changes.filter((change) => isNamed(change, line.text));
  const changes = named.length > 0 ? named : repaired;
  const used = changes.length > 0 ? changes : work.changes.length === 1 ? work.changes : [];
  const checks = checksOf(turn, work);
  const failure = work.repairs.find((repair) => overlap(line.text, describeRun(repair.failure)) >= 0.3)?.failure;
  return makeDraft({
    type: 'bugfix',
    title: fixTitle(line.text),
    narrative: line.text,
    facts: [
      fact(line.text, line.id),
      ...(failure ? [fact(`Before: ${describeRun(failure)}.`, failure.id)] : []),
      ...used.map((change) => fact(describeFile(change), ...change.sources)),
      ...checks.map((step) => fact(`${describeRun(step)}.`, step.id)),
      ...commitFacts(work.group),
    ],
    concepts: conceptsFor(
      'bugfix',
      used.map((change) => change.file),
    ),
    filesModified: used.map((change) => change.file),
    outcome: outcomeOf(checks),
    origin: 'agent',
    at: line.time,
  });
}

function fixTitle(text: string): string {
  const title = headline(text);
  return typeOfVerb(title) === 'bugfix' ? title : `Fix: ${title}`;
}

function isNamed(change: FileChange, text: string): boolean {
  const names = [
    change.file.split('/').at(-1) ?? '',
    ...change.newNames,
    ...change.touchedNames,
    ...change.values.map((value) => value.key),
  ];
  return names.some((name) => name.length > 3 && text.includes(name));
}
