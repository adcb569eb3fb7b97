// The first section of the page of a starting session: what the user asked for, in their own words, as long as it holds.
import type { Database } from 'bun:sqlite';
import { plainLine } from '../core/plain-line.ts';
import { describeReplaced } from '../core/render.ts';
import type { LeftOut } from '../core/shapes/context.ts';
import { estimateTokens } from '../core/text.ts';
import type { Observation } from '../memory/observations.ts';
import { listRules, readRuleProjects, ruleWords } from '../memory/rules.ts';
import { findGlobalProject, findWholeOf } from '../projects/projects.ts';
import { isNearlySame, stemsOf } from '../search/alike.ts';
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
  const [said, news] = [
    current.filter(({ newest }) => surroundings.isSaid(ruleWords(newest))),
    current.filter(({ newest }) => !surroundings.isSaid(ruleWords(newest))),
  ];
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
export function foldRules(rules: Observation[]): Rule[] {
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
