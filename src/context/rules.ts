// Rules of the user: the first section of the page of a starting session, which there are, what could be one, and how they are changed.
import type { Database } from 'bun:sqlite';
import { remember } from '../capture/remember.ts';
import { AskError } from '../core/ask-error.ts';
import { formatRef, parseRef } from '../core/memory.ts';
import { plainLine } from '../core/plain-line.ts';
import { describeReplaced } from '../core/render.ts';
import type { RuleParameters } from '../core/shapes/asked.ts';
import type { LeftOut } from '../core/shapes/context.ts';
import type { RuleChangeAnswer, RuleOffer, RuleRow, RulesAnswer } from '../core/shapes/memory.ts';
import { estimateTokens } from '../core/text.ts';
import { markWrong, requirePerson } from '../memory/edit.ts';
import { readAnyByIds } from '../memory/for-context.ts';
import type { Observation } from '../memory/observations.ts';
import { sayReplaced } from '../memory/replacements.ts';
import { listProjectsWithRules, listRules, listUserDecisions, readRuleProjects, ruleWords, sayRule } from '../memory/rules.ts';
import { MAYBE, weighRule } from '../observe/rules.ts';
import { resolveScope, type ScopeParameters } from '../projects/place.ts';
import { findGlobalProject, findWholeOf, getProject } from '../projects/projects.ts';
import { isNearlySame, stemsOf } from '../search/alike.ts';
import { ruleNotice, takeNotice } from '../store/counters.ts';
import { leaveOut } from './gather.ts';
import { observed, type Piece, recordPiece } from './page.ts';
import { isAboutAny, type Surroundings } from './surroundings.ts';

export type RulesSection = {
  /** With the heading; empty when there is none. */
  pieces: Piece[];
  /** What is given here, or is the same as something that is: no other section repeats it. */
  ids: ReadonlySet<number>;
  leftOut: LeftOut[];
};

type RulesQuery = { projectId: number; sessionId: number; since: number | null };

/** All lines together: beyond that, what was said most often. The others are decisions among decisions. */
const MOST_TOKENS = 300;
const LONGEST_RULE = 300;
const HEADING =
  '## The user asked for\nIn their own words, in earlier sessions, kept by claude-mem. It applies unless they say otherwise now.';

export function gatherRules(db: Database, query: RulesQuery, surroundings: Surroundings): RulesSection {
  const { projectId, sessionId, since } = query;
  const projectIds = [projectId, findWholeOf(db, projectId)?.id, findGlobalProject(db)?.id].filter((id) => id !== undefined);
  const rules = listRules(db, { projectIds, ...(since === null ? {} : { since, exceptSession: sessionId }) });
  const allowed = rules.filter((one) => !isAboutAny(one, surroundings.isExcluded));
  const current = withoutReworded(db, foldRules(allowed));
  const { said = [], news = [] } = Object.groupBy(current, ({ newest }) => (surroundings.isSaid(ruleWords(newest)) ? 'said' : 'news'));
  const chosen = chooseByUse(news);
  const pieces = chosen.map(rulePiece);
  return {
    pieces: pieces.length > 0 ? [{ text: HEADING, section: 'rules', record: null }, ...pieces] : [],
    ids: new Set([...chosen, ...said].flatMap(({ newest, older }) => [newest, ...older].map(({ id }) => id))),
    leftOut: [
      ...said.map(({ newest }) => leaveOut(newest, "said in the project's instructions")),
      ...[...chosen, ...said].flatMap(({ older }) => older.map((one) => leaveOut(one, 'said by a newer one'))),
    ],
  };
}

/** One rule in its newest wording, with what said the same before. */
export type Rule = { newest: Observation; older: Observation[] };

/** `rules`: newest first, and so are the answers. */
function foldRules(rules: Observation[]): Rule[] {
  const folded: (Rule & { stems: Set<string> })[] = [];
  for (const one of rules) {
    const stems = stemsOf(ruleWords(one));
    const same = folded.find((other) => isNearlySame(stems, other.stems) || ruleWords(other.newest) === ruleWords(one));
    if (same) same.older.push(one);
    else folded.push({ newest: one, older: [], stems });
  }
  return folded;
}

/** What another rule may replace is given in the new wording alone. */
function withoutReworded(db: Database, rules: Rule[]): Rule[] {
  const newer = rules.flatMap(({ newest }) => Number(newest.replacedBy?.id) || []);
  const known = newer.length > 0 ? readRuleProjects(db, newer) : new Map();
  return rules.filter(({ newest }) => !known.get(Number(newest.replacedBy?.id))?.isRule);
}

/** In the order they came; too many, the ones that were said most often, then the newest. */
function chooseByUse(rules: Rule[]): Rule[] {
  const byUse = rules.toSorted((one, other) => other.older.length - one.older.length);
  let tokens = 0;
  const chosen = byUse.filter((rule) => {
    const cost = estimateTokens(renderRule(rule)) + 1;
    if (tokens + cost > MOST_TOKENS) return false;
    tokens += cost;
    return true;
  });
  return rules.filter((rule) => chosen.includes(rule));
}

function rulePiece(rule: Rule): Piece {
  const times = rule.older.length + 1;
  const why = ['rule of the user', ...(times > 1 ? [`said ${times} times`] : [])];
  return recordPiece('rules', observed(rule.newest.id), renderRule(rule), { why, value: 100 });
}

function renderRule({ newest }: Rule): string {
  const mark = newest.replacedBy ? ` [${describeReplaced(newest.replacedBy)}]` : '';
  return `#${newest.id} ${plainLine(ruleWords(newest), LONGEST_RULE)}${mark}`;
}

/** Newest decisions of the user that are looked at for what may be meant as a rule. */
const LOOKED_AT = 60;
const MOST_OFFERS = 10;

type RulesScope = Omit<ScopeParameters, 'all'> & { global?: boolean };

/** `isAgent`: nothing is said of other projects. */
export function listRulesOf(db: Database, { global, ...scope }: RulesScope, isAgent: boolean): RulesAnswer {
  const everywhere = findGlobalProject(db)?.id;
  const listTwice = (projectId?: number) => (isAgent ? [] : listSaidTwice(db, projectId).slice(0, MOST_OFFERS));
  if (global) return { project: null, rules: rowsOf(db, everywhere === undefined ? [] : [everywhere]), offers: listTwice() };
  const { name, project, projectIds } = resolveScope(db, scope);
  const offers = project ? [...listTwice(project.id), ...listMaybe(db, project.id, project.name)] : [];
  return { project: name, rules: rowsOf(db, projectIds ?? []), offers: offers.slice(0, MOST_OFFERS) };
}

function rowsOf(db: Database, projectIds: number[]): RuleRow[] {
  const rules = foldRules(listRules(db, { projectIds }));
  const ids = rules.map(({ newest }) => newest.id);
  const projects = readRuleProjects(db, ids);
  return rules.map((rule) => toRow(db, rule, projects.get(rule.newest.id)?.projectId));
}

function toRow(db: Database, { newest, older }: Rule, projectId: number | undefined): RuleRow {
  const isGlobal = projectId === findGlobalProject(db)?.id;
  const name = projectId === undefined ? null : (getProject(db, projectId)?.name ?? null);
  return {
    id: String(newest.id),
    text: ruleWords(newest),
    project: isGlobal ? null : name,
    at: newest.at,
    times: older.length + 1,
  };
}

/** Decisions that are less than certain: one sentence of theirs may be meant as a rule. */
function listMaybe(db: Database, projectId: number, project: string): RuleOffer[] {
  return listUserDecisions(db, projectId, LOOKED_AT)
    .filter((one) => weighRule(ruleWords(one)) >= MAYBE || one.facts.slice(0, 1).some((fact) => weighRule(fact) >= MAYBE))
    .map((one) => ({ id: String(one.id), text: ruleWords(one), project, at: one.at, times: 1, why: 'maybe' }));
}

const listSaidTwice = (db: Database, projectId?: number): RuleOffer[] =>
  foldAcross(db, projectId).map(({ row }) => ({ ...row, why: 'several-projects' }));

/** Rules that were said in more than one project, and apply in none but these; with `projectId`, in this one, too. */
export function foldAcross(db: Database, projectId?: number): { rule: Rule; row: RuleRow }[] {
  const everywhere = findGlobalProject(db)?.id;
  const folded = foldRules(listRules(db, { projectIds: listProjectsWithRules(db) }));
  const ids = folded.flatMap(({ newest, older }) => [newest, ...older].map(({ id }) => id));
  const projects = readRuleProjects(db, ids);
  return folded.flatMap((rule) => {
    const where = new Set([rule.newest, ...rule.older].map(({ id }) => projects.get(id)?.projectId));
    const isHere = projectId === undefined || where.has(projectId);
    if (where.size < 2 || where.has(everywhere) || !isHere) return [];
    return [{ rule, row: toRow(db, rule, projects.get(rule.newest.id)?.projectId) }];
  });
}

export function changeRule(db: Database, { id, change, by }: RuleParameters, now: number): RuleChangeAnswer {
  requirePerson(by);
  return db
    .transaction((): RuleChangeAnswer => {
      const said = requireOwnWords(db, id);
      const place = readRuleProjects(db, [said.id]).get(said.id);
      if (change === 'promote') return { ...promote(db, said, listSame(db, said, place?.projectId, true), now), change };
      // Whoever says so has read it.
      takeNotice(db, ruleNotice(said.id), now);
      const isRule = change === 'accept';
      const say = (one: Observation) => {
        sayRule(db, one.id, isRule, now);
        markWrong(db, one.id, isRule ? null : now);
      };
      say(said);
      // With it gone, what it stood in the place of comes back, and says the same.
      const others = isRule ? [] : listSame(db, said, place?.projectId, false);
      others.forEach(say);
      const rule = toRow(db, { newest: said, older: others }, place?.projectId);
      return { rule, change, others: others.map((one) => String(one.id)) };
    })
    .immediate();
}

/** What says the same: in its project, or in all of them if it applies, or is to apply, everywhere. */
function listSame(db: Database, said: Observation, projectId: number | undefined, isEverywhere: boolean): Observation[] {
  const isWide = isEverywhere || projectId === findGlobalProject(db)?.id;
  const projectIds = isWide ? listProjectsWithRules(db) : projectId === undefined ? [] : [projectId];
  const rules = listRules(db, { projectIds }).filter(({ id }) => id !== said.id);
  return foldRules([said, ...rules])[0]?.older ?? [];
}

/** Said once more, for every project; where it was said before, that stands in its place. */
function promote(db: Database, said: Observation, others: Observation[], now: number): Omit<RuleChangeAnswer, 'change'> {
  const answer = remember(db, { text: ruleWords(said), type: 'decision', global: true, by: 'user' }, now);
  const newer = parseRef(answer.id);
  if (newer?.kind !== 'observation') throw new Error(`${answer.id} is no observation`);
  sayRule(db, newer.id, true, now);
  takeNotice(db, ruleNotice(newer.id), now);
  markWrong(db, newer.id, null);
  const older = [said, ...others].filter(({ id }) => id !== newer.id);
  for (const one of older) sayReplaced(db, { kind: 'observation', id: one.id }, newer, now);
  const rule = { id: answer.id, text: ruleWords(said), project: null, at: now, times: older.length };
  return { rule, others: older.map(({ id }) => formatRef({ kind: 'observation', id })) };
}

/** Only what the user said can be their rule. */
function requireOwnWords(db: Database, text: string): Observation {
  const ref = parseRef(text);
  if (ref?.kind !== 'observation') {
    const hint = 'Give the id of a rule as `claude-mem rules` shows it, like 123.';
    throw new AskError('invalid', `"${text.slice(0, 60)}" is not the id of a rule.`, hint);
  }
  const [found] = readAnyByIds(db, [ref.id]);
  if (!found) throw new AskError('unknown', `There is no memory ${formatRef(ref)}.`, 'Nothing was changed.');
  if (found.origin === 'user') return found;
  const hint = 'Say it in your own words: claude-mem remember "…", then claude-mem rules accept ID.';
  throw new AskError('conflict', `#${ref.id} is not what you said, so it cannot be a rule of yours.`, hint);
}
