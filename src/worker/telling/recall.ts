// What is told with a prompt: the conclusions that matter for it, checked against the code, or nothing.
import type { Piece } from '../../context/page.ts';
import { joinPieces } from '../../context/page.ts';
import { type RecallRecord, recallForPrompt, renderRecall } from '../../context/recall.ts';
import { frameNote, markOf, sourceOf } from '../../context/render.ts';
import { NOWHERE } from '../../context/surroundings.ts';
import type { TellDeps } from '../../context/tell.ts';
import { type Freshness, formatFreshness } from '../../core/freshness.ts';
import { estimateTokens } from '../../core/tokens.ts';
import { readBranch } from '../../git/identity.ts';
import type { Finder } from '../../search/find.ts';
import type { Observation } from '../../store/memories/observations.ts';
import { findGlobalProject, findWholeOf } from '../../store/projects/projects.ts';
import { readTellableByIds } from '../../store/trust/tellable-observations.ts';

export type RecallQuery = { prompt: string; projectId: number; root: string; sessionId: number };
export type Recall = (query: RecallQuery) => Promise<Piece[]>;

export const MOST_CHARACTERS = 1500;

export function createRecall(deps: TellDeps & { finder: Finder }): Recall {
  const { db, finder } = deps;
  return async ({ prompt, projectId, root, sessionId }) => {
    const more = [findWholeOf(db, projectId), findGlobalProject(db)].flatMap((project) => project?.id ?? []);
    const projectIds = [projectId, ...more];
    const recalled = await recallForPrompt(finder, { prompt, projectIds, exceptSession: sessionId || undefined });
    if (!recalled) return [];
    const known = await readKnown(deps, recalled.records, root);
    const frame: Piece = { text: frameNote('this request').join('\n'), section: 'recall', record: null };
    const pieces = [frame, ...recalled.records.map((record) => toPiece(record, find(record, known)))];
    while (joinPieces(pieces).length > MOST_CHARACTERS) pieces.pop();
    return pieces.length > 1 ? pieces : [];
  };
}

const find = ({ ref }: RecallRecord, known: Map<number, Known>) =>
  ref.kind === 'observation' ? (known.get(ref.id) ?? null) : null;

type Known = { observation: Observation; freshness: Freshness | null };

/** Only observations are about files. By their ids. */
async function readKnown({ db, checkFreshness }: TellDeps, records: RecallRecord[], root: string) {
  const ids = records.flatMap(({ ref }) => (ref.kind === 'observation' ? [ref.id] : []));
  const observations = ids.length > 0 ? readTellableByIds(db, ids) : [];
  const freshness =
    observations.length > 0 && root !== ''
      ? await checkFreshness(observations, { ...NOWHERE, root, branch: readBranch(root) })
      : new Map<number, Freshness>();
  return new Map<number, Known>(
    observations.map((observation) => [
      observation.id,
      { observation, freshness: freshness.get(observation.id) ?? null },
    ]),
  );
}

function toPiece(record: RecallRecord, known: Known | null): Piece {
  const [head = '', ...lines] = renderRecall({ records: [record] });
  const freshness = known?.freshness ? formatFreshness(known.freshness) : null;
  const mark = known ? markOf(known.observation) : '';
  const below = lines.map((line) => line.replace(/^ */, `$&${mark}`));
  const own = [`${head} (${describe(record, known, freshness)})`, ...below].join('\n');
  return { text: own, section: 'recall', record: { ref: record.ref, own, freshness, why: record.why, value: 0 } };
}

/** What the whole of it costs, the state of the code it is about, and who said it. */
function describe({ ref, lines, title }: RecallRecord, known: Known | null, freshness: string | null): string {
  if (known)
    return [`~${known.observation.tokens}`, ...(freshness ? [freshness] : []), sourceOf(known.observation)].join(', ');
  return [`~${estimateTokens([title, ...lines].join('\n'))}`, ref.kind === 'prompt' ? 'user' : 'agent'].join(', ');
}
