// What is told with a prompt: the conclusions that matter for it, checked against the code, or nothing.
import type { Piece } from '../context/page.ts';
import { joinPieces } from '../context/page.ts';
import { type RecallRecord, recallForPrompt, renderRecall } from '../context/recall.ts';
import { frameNote } from '../context/render.ts';
import { NOWHERE } from '../context/surroundings.ts';
import type { TellDeps } from '../context/tell.ts';
import { type Freshness, formatFreshness } from '../core/freshness.ts';
import { readBranch } from '../git/identity.ts';
import type { Finder } from '../search/find.ts';
import { findGlobalProject } from '../store/projects.ts';
import { readTellableByIds } from '../store/tellable-observations.ts';

export type RecallQuery = { prompt: string; projectId: number; root: string; sessionId: number };
export type Recall = (query: RecallQuery) => Promise<Piece[]>;

export const MOST_CHARACTERS = 1500;

export function createRecall(deps: TellDeps & { finder: Finder }): Recall {
  const { db, finder } = deps;
  return async ({ prompt, projectId, root, sessionId }) => {
    const everywhere = findGlobalProject(db);
    const projectIds = [projectId, ...(everywhere ? [everywhere.id] : [])];
    const recalled = await recallForPrompt(finder, { prompt, projectIds, exceptSession: sessionId || undefined });
    if (!recalled) return [];
    const freshness = await check(deps, recalled.records, root);
    const frame: Piece = { text: frameNote('this request').join('\n'), section: 'recall', record: null };
    const pieces = [frame, ...recalled.records.map((record) => toPiece(record, freshness.get(record.ref.id)))];
    while (joinPieces(pieces).length > MOST_CHARACTERS) pieces.pop();
    return pieces.length > 1 ? pieces : [];
  };
}

/** Only observations are about files. */
async function check({ db, checkFreshness }: TellDeps, records: RecallRecord[], root: string) {
  const ids = records.flatMap(({ ref }) => (ref.kind === 'observation' ? [ref.id] : []));
  const observations = ids.length > 0 ? readTellableByIds(db, ids) : [];
  if (observations.length === 0 || root === '') return new Map<number, Freshness>();
  return checkFreshness(observations, { ...NOWHERE, root, branch: readBranch(root) });
}

function toPiece(record: RecallRecord, known: Freshness | undefined): Piece {
  const [head = '', ...lines] = renderRecall({ records: [record] });
  const state = record.ref.kind === 'observation' && known ? formatFreshness(known) : null;
  const own = [state ? `${head} (${state})` : head, ...lines].join('\n');
  return {
    text: own,
    section: 'recall',
    record: { ref: record.ref, own, freshness: state, why: record.why, value: 0 },
  };
}
