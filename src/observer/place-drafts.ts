// A session may work in several repositories: what it did in another than its own is remembered there, by the paths of that one.
import type { Distilled } from '../core/batch.ts';
import type { ObservationDraft } from '../core/observation.ts';
import type { ProjectIdentity } from '../core/project.ts';
import { relativePath } from '../core/project-path.ts';
import type { Session } from '../store/sessions/sessions.ts';

export type Place = {
  project: ProjectIdentity;
  /** Nothing may be kept there: paused, off, or about an excluded path. */
  isSilent: boolean;
};

/** Where an observation belongs by its files; null where its session does. Reads folders, never fails for one that is gone. */
export type PlaceOf = (draft: ObservationDraft, session: Session) => Place | null;

export type Placed = {
  distilled: Distilled;
  /** Of each observation: the project it belongs to; null for the session's own. */
  places: (ProjectIdentity | null)[];
};

export function placeDrafts(distilled: Distilled, session: Session, placeOf: PlaceOf = () => null): Placed {
  const placed = distilled.observations
    .map((draft) => ({ draft, place: placeOf(draft, session) }))
    .filter(({ place }) => !place?.isSilent);
  return {
    distilled: {
      ...distilled,
      observations: placed.map(({ draft, place }) =>
        place ? respell(draft, { from: session.root, to: place.project.root }) : draft,
      ),
    },
    places: placed.map(({ place }) => place?.project ?? null),
  };
}

type Roots = { from: string; to: string };

/** With the paths that the other repository knows, in its words, too. */
function respell(draft: ObservationDraft, roots: Roots): ObservationDraft {
  const names = new Map(
    [...draft.filesModified, ...draft.filesRead].map((file) => [file, relativePath(file, roots.to, roots.from)]),
  );
  const inText = (text: string) => respellText(text, names);
  const inFiles = (files: string[]) => [...new Set(files.map((file) => names.get(file) ?? file))];
  return {
    ...draft,
    title: draft.title && inText(draft.title),
    subtitle: draft.subtitle && inText(draft.subtitle),
    narrative: draft.narrative && inText(draft.narrative),
    facts: draft.facts.map((fact) => ({ ...fact, text: inText(fact.text) })),
    filesModified: inFiles(draft.filesModified),
    filesRead: inFiles(draft.filesRead),
  };
}

/** Whole names only: the longest first, so that none is changed inside of another. */
function respellText(text: string, names: Map<string, string>): string {
  const longestFirst = [...names].sort(([one], [other]) => other.length - one.length);
  return longestFirst.reduce(
    (said, [before, now]) =>
      said.replaceAll(before, (found, at: number) => {
        const isInside = /[\w./-]/.test(said[at - 1] ?? '') || /[\w/-]/.test(said[at + before.length] ?? '');
        return isInside ? found : now;
      }),
    text,
  );
}
