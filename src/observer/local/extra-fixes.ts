// Bugs fixed beside the main work of a turn, when the agent names them: each is its own observation.
import type { ObservationDraft } from '../../core/observation.ts';
import { announcedFixes } from './announced-fixes.ts';
import { conceptsFor } from './concepts.ts';
import { deedFacts } from './deeds.ts';
import { fact, makeDraft } from './draft.ts';
import { changesOf, type FileChange } from './edits/changes.ts';
import { describeFile } from './edits/describe.ts';
import { editsAfter, type Story } from './failure-stories.ts';
import { isNoCause, type Work } from './piece-of-work.ts';
import { contentWords, overlap } from './text/tokens.ts';
import type { Line, Step, Turn } from './turn.ts';
import { checksOf, describeRun, outcomeOf } from './verification.ts';
import { findCause } from './words/cause.ts';
import { headline, stripSpeaker } from './words/lead-in.ts';
import { isOnTheWay, withoutLeadIn } from './words/trouble.ts';
import { typeOfVerb } from './words/verbs.ts';
import { commitFacts } from './work-facts.ts';
import { workTitle } from './work-title.ts';

export function extraFixes(turn: Turn, work: Work): ObservationDraft[] {
  const stories = work.asides.filter((story) => !isMainFix(story, work));
  const told = [workTitle(turn, work).text, work.head?.text ?? '', ...stories.flatMap(textsOf)];
  const found: Line[] = [];
  for (const line of work.lines) {
    const text = headline(line.text);
    if (line === work.head?.line || !namesABug(line, text)) continue;
    if ([...told, ...found.map((one) => one.text)].some((other) => overlap(other, text) >= 0.6)) continue;
    found.push(line);
  }
  // One plain "Fixed …" sentence in a fix tells the same fix again; a list of them tells several.
  const several =
    work.type !== 'bugfix' || found.filter((line) => line.item || /\balso\b/i.test(line.text)).length === found.length;
  return [
    ...stories.map((story) => fixDraft(turn, work, story)),
    ...(several ? found.map((line) => fixDraft(turn, work, { lines: [line], repair: null, red: null })) : []),
  ].slice(0, 4);
}

/** Of a fix, only what another red run showed is a fix besides. */
function isMainFix(story: Story, work: Work): boolean {
  if (work.type !== 'bugfix') return false;
  const cause = work.cause?.text ?? '';
  const isOther = story.repair !== null || story.lines.some(isOnTheWay);
  return !isOther || story.lines.some((line) => line === work.cause || overlap(line.text, cause) >= 0.6);
}

const textsOf = (story: Story): string[] => story.lines.map((line) => line.text);

/** "Fixed both bugs: - … - …" is as many fixes as items; null when the message lists none. */
export function listedFixes(turn: Turn, work: Work): ObservationDraft[] | null {
  if (work.type !== 'bugfix') return null;
  const items = work.lines.filter((line, at) => line.item && line.block !== work.lines[at - 1]?.block);
  const listed = items.filter((line) => listsFixes(line.section));
  const telling = listed.filter((line) => contentWords(line.text).size >= 4 && !/^(?:test|file)s?\b/i.test(line.text));
  const announced = announcedFixes(work.lines);
  if (telling.length < 2 && announced.length > 1)
    return announced.map((lines) => fixDraft(turn, work, { lines, repair: null, red: null }));
  const used = telling.length >= 2 && telling.length === listed.length ? telling : apart(items, work);
  return used.length >= 2
    ? used.slice(0, 5).map((line) => fixDraft(turn, work, { lines: itemOf(line, work), repair: null, red: null }))
    : null;
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

/** All sentences of a list item. */
function itemOf(line: Line, work: Work): Line[] {
  return work.lines.filter((one) => one.id === line.id && one.block === line.block);
}

function namesABug(line: Line, text: string): boolean {
  return (
    !isNoCause(line) &&
    typeOfVerb(text) === 'bugfix' &&
    contentWords(text).size >= 4 &&
    !/^fix(?:ed)?\s+(?:by|in|with|this|it)\b/i.test(line.text)
  );
}

function fixDraft(turn: Turn, work: Work, { lines, repair, red }: Story): ObservationDraft {
  const text = lines.map((line) => line.text).join(' ');
  const named = work.changes.filter((change) => isNamed(change, text));
  const changes =
    repair && red ? changesOf(editsAfter(red, repair).filter((edit) => work.group.edits.includes(edit))) : named;
  const used = changes.length > 0 ? changes : work.changes.length === 1 ? work.changes : [];
  const checks = repair?.success ? [repair.success] : checksOf(turn, work);
  const failure = red ?? failureIn(text, work);
  return makeDraft({
    type: 'bugfix',
    title: fixTitle(lines),
    narrative: text,
    facts: [
      ...lines.slice(0, 4).map((line) => fact(line.text, line.id)),
      ...(failure ? [fact(`Before: ${describeRun(failure)}.`, failure.id)] : []),
      ...used.slice(0, 4).map((change) => fact(describeFile(change), ...change.sources)),
      ...checks.map((step) => fact(`${describeRun(step)}.`, step.id)),
      ...(repair ? deedFacts(repair.remedies) : []),
      ...commitFacts(work.group),
    ],
    concepts: conceptsFor(
      'bugfix',
      used.map((change) => change.file),
    ),
    filesModified: used.map((change) => change.file),
    outcome: outcomeOf(checks),
    origin: 'agent',
    at: lines.at(-1)?.time ?? turn.lastTime,
  });
}

function failureIn(text: string, work: Work): Step | undefined {
  return work.repairs.find((repair) => overlap(text, describeRun(repair.failure)) >= 0.3)?.failure;
}

/** "Flyway." alone is a label: the sentence after it goes into the title. */
function fixTitle(lines: Line[]): string {
  const [first = '', second] = lines.map((line) => titleIn(line.text));
  const isLabel = second !== undefined && contentWords(first).size <= 3;
  const title = isLabel ? `${first.replace(/[.:!]$/, '')}: ${second}` : first;
  return typeOfVerb(title) === 'bugfix' ? title : `Fix: ${title}`;
}

function titleIn(text: string): string {
  const told = stripSpeaker(withoutLeadIn(text)).replace(/^([\w /-]{3,40})\. (?=[A-Z])/, '$1: ');
  return typeOfVerb(headline(told)) === 'bugfix' ? headline(told) : told;
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
