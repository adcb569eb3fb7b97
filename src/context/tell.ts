// What a starting session is told, for the model and for the person.
import type { Database } from 'bun:sqlite';
import type { Freshness } from '../core/evidence.ts';
import { plainLine } from '../core/plain-line.ts';
import type { LeftOut } from '../core/shapes/context.ts';
import { estimateTokens } from '../core/text.ts';
import { hasObservations, hasSaid, type Observation } from '../memory/observations.ts';
import { type ChooseOptions, type Chosen, choose } from './choose.ts';
import { type ContextSettings, type Gathered, gather } from './gather.ts';
import { joinPieces, layOut, type Piece } from './page.ts';
import { createRenderer, frameStart, MAX_CHARACTERS } from './render.ts';
import { gatherRules, type RulesSection } from './rules.ts';
import { createPartReader } from './sentences.ts';
import type { Surroundings } from './surroundings.ts';

export type TellQuery = {
  /** The id is 0 for one that is not known yet: it is told what holds everywhere. */
  project: { id: number; name: string };
  /** 0 for a call without a session. */
  sessionId: number;
  /** Set for a session that goes on: it knows what was told before. */
  since: number | null;
  settings: ContextSettings;
  /** What git is still asked for is awaited when the rest is read. */
  surroundings: Surroundings | Promise<Surroundings>;
};

export type TellDeps = {
  db: Database;
  /** Whether what these say of the code is still so. */
  checkFreshness: (observations: Observation[], place: Pick<Surroundings, 'root' | 'branch'>) => Promise<Map<number, Freshness>>;
};

export type Told = { context: string; message: string; pieces: Piece[]; leftOut: LeftOut[]; damaged: number };

export async function tellSession(deps: TellDeps, query: TellQuery): Promise<Told> {
  const { project, since } = query;
  const asked = { ...query, projectId: project.id };
  const found = await gather(deps.db, asked, query.surroundings);
  const surroundings = await query.surroundings;
  const rules = gatherRules(deps.db, asked, surroundings);
  const gathered = withoutRules(found, rules);
  const { pieces, leftOut } = await writePage(deps, gathered, { ...query, surroundings, rules: rules.pieces });
  const context = joinPieces(pieces);
  const { damaged } = gathered;
  const isUpdate = since !== null;
  if (context) {
    return { context, pieces, leftOut, damaged, message: describe(pieces, project.name, isUpdate) };
  }
  return { context: '', pieces: [], leftOut, damaged, message: isUpdate ? '' : greet(deps.db, project.id) };
}

/** What stands in the first section is not said again. */
const withoutRules = (gathered: Gathered, { ids, leftOut }: RulesSection): Gathered => ({
  ...gathered,
  observations: gathered.observations.filter(({ id }) => !ids.has(id)),
  everywhere: gathered.everywhere.filter(({ id }) => !ids.has(id)),
  leftOut: [...gathered.leftOut, ...leftOut],
});

type Page = { pieces: Piece[]; leftOut: LeftOut[] };

/** Only what is chosen is checked against the code; what the code has overtaken makes room for others, which are checked in turn. */
const ROUNDS = 5;
/** The tags around the page, and what rounding up hides. */
const AROUND = { tokens: 24, characters: 100 };

/** Headings cost what they cost once it is laid out: then a little less is chosen. */
type PageQuery = TellQuery & { surroundings: Surroundings; rules: Piece[] };

async function writePage(deps: TellDeps, gathered: Gathered, query: PageQuery): Promise<Page> {
  const { project, since, settings, surroundings, rules } = query;
  const isInDoubt = gathered.pairs.size > 0;
  const frame = {
    projectName: project.name,
    isUpdate: since !== null,
    isInDoubt,
    commits: gathered.commits,
    rules,
    render: createRenderer(),
  };
  const budget = Math.min(settings.contextTokens, MAX_CHARACTERS);
  const freshness = new Map<number, Freshness>();
  const readPart = createPartReader();
  const said = rules.flatMap(({ record }) => (record ? [record.own] : []));
  const first = [...rules.map(({ text }) => text), ...frameStart(frame)];
  let tokens = budget - AROUND.tokens - estimateTokens(first.join('\n'));
  for (;;) {
    const chosen = await chooseChecked(deps, gathered, { settings, surroundings, freshness, tokens, readPart, said });
    const pieces = layOut(chosen, { ...frame, isInDoubt: [...chosen.observations, ...chosen.everywhere].some(hasPair) });
    const over = measure(pieces, budget);
    if (over <= 0) return { pieces, leftOut: chosen.leftOut };
    tokens -= Math.max(8, over);
    if (tokens <= 0) return { pieces: measure(rules, budget) <= 0 ? rules : [], leftOut: chosen.leftOut };
  }
}

/** Also of what stands below another of its turn. */
const hasPair = ({ pair, beside }: Chosen['observations'][number]): boolean => pair !== null || beside.some(hasPair);

async function chooseChecked(deps: TellDeps, gathered: Gathered, options: ChooseOptions): Promise<Chosen> {
  const { freshness, surroundings } = options;
  for (let round = 0; ; round++) {
    const chosen = choose(gathered, options);
    const unchecked = chosen.observations
      .flatMap(({ observation, beside }) => [observation, ...beside.map((one) => one.observation)])
      .filter(({ id }) => !freshness.has(id));
    if (unchecked.length === 0 || round === ROUNDS) return chosen;
    const checked = await deps.checkFreshness(unchecked, surroundings);
    for (const { id } of unchecked) freshness.set(id, checked.get(id) ?? UNKNOWN);
  }
}

const UNKNOWN: Freshness = { word: 'unverified', renamed: [] };

/** By how many tokens a page is too long, for the budget or for the host. */
function measure(pieces: Piece[], budget: number): number {
  const text = pieces.map((piece) => piece.text).join('\n');
  const tooMany = estimateTokens(text) + AROUND.tokens - budget;
  const tooLong = Math.ceil((text.length + AROUND.characters - MAX_CHARACTERS) / 4);
  return Math.max(tooMany, tooLong);
}

/** The first words in a project of which no session was remembered. */
function greet(db: Database, projectId: number): string {
  if (hasSaid(db, projectId)) return '';
  const known = hasObservations(db, projectId)
    ? 'Of this project it knows the git log, which can be searched, and no session yet'
    : 'This project has no memory yet';
  return (
    `claude-mem is on. ${known}; the next session here will have what happened in this one in its context. ` +
    'Text inside <private>…</private> is never kept.'
  );
}

function describe(pieces: Piece[], project: string, isUpdate: boolean): string {
  const count = new Set(pieces.flatMap(({ record }) => (record?.ref.kind === 'observation' ? [record.ref.id] : []))).size;
  const memories = count === 0 ? [] : [`${count} ${count === 1 ? 'memory' : 'memories'}`];
  const summary = pieces.some(({ record, section }) => record && section === 'summary') ? ['the last session'] : [];
  const added = [...memories, ...summary].join(' and ') || 'what is left to do';
  return `claude-mem: added ${added} of ${plainLine(project, 80)}${isUpdate ? ' that came since' : ''} to the context.`;
}
