// The page "Next session": exactly what the next session of a project gets and why, and what other settings would change.
import { useEffect, useState } from 'preact/hooks';
import type { PreviewAnswer, ToldRecord } from '../../../src/core/shapes/context.ts';
import type { ProjectsAnswer } from '../../../src/core/shapes/project.ts';
import { Empty } from '../parts/empty.tsx';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { place, setQuery } from '../router.ts';
import { type Answer, useAnswer } from '../use-answer.ts';
import type { PageProps } from './index.ts';
import { readAsked, readAskedFor } from './preview/asked.ts';
import { BudgetBar } from './preview/budget-bar.tsx';
import { Controls } from './preview/controls.tsx';
import { LeftOutList } from './preview/left-out.tsx';
import { OccasionChoice } from './preview/occasion-choice.tsx';
import { ProjectChoice } from './preview/project-choice.tsx';
import { saveSettings } from './preview/save-settings.ts';
import { ToldText } from './preview/told-text.tsx';
import { Why } from './preview/why.tsx';
import { useNews } from './session/use-news.ts';
import '../styles/preview.css';

/** Whatever is remembered meanwhile may be told. */
const NEWS = ['observation', 'summary', 'changed', 'removed', 'reset'] as const;
const SETTLE_MS = 1000;

export function PreviewPage(_: PageProps) {
  const { query } = place.value;
  const projects = useAnswer<ProjectsAnswer>('/api/projects', { limit: 200 });
  const known = projects.data?.items ?? [];
  const project = query.get('project') ?? known[0]?.key ?? null;
  const answer = useAnswer<PreviewAnswer>(project ? '/api/context/preview' : null, { project, ...readAsked(query) });
  useNews({ types: NEWS, look: answer.again, waitMs: SETTLE_MS });
  const names = [project ?? '', answer.data?.project ?? ''];
  return (
    <div class="page wide preview">
      <header>
        <h1>Next session</h1>
        {known.length > 0 && (
          <ProjectChoice projects={known} chosen={project ?? ''} onChoose={(key) => setQuery({ project: key, file: null })} />
        )}
      </header>
      {projects.error && <Problem error={projects.error} onRetry={projects.again} />}
      {projects.data && known.length === 0 && (
        <Empty title="No project yet">
          <p>
            After the first session, this page shows the context that the second one gets, and why. Past ones:{' '}
            <a href="/view/data">import them</a>.
          </p>
        </Empty>
      )}
      {answer.error && <Problem error={answer.error} onRetry={answer.again} />}
      {!answer.data && !answer.error && !projects.error && known.length + Number(!projects.data) > 0 && <Skeleton rows={6} />}
      {answer.data && <Preview answer={answer} data={answer.data} names={names} />}
    </div>
  );
}

type PreviewProps = { answer: Answer<PreviewAnswer>; data: PreviewAnswer; names: string[] };

function Preview({ answer, data, names }: PreviewProps) {
  const [shown, setShown] = useState<{ record: ToldRecord; isHeld: boolean } | null>(null);
  useEffect(() => setShown(null), [data]);
  const askedFor = readAskedFor(place.value.query);
  const isUnsaid = askedFor !== 'start' && !place.value.query.get(askedFor);
  const save = () => saveSettings({ set: data.settings, names, onSaved: answer.again });
  return (
    <div class="preview-columns">
      <div class="stack preview-main" aria-busy={answer.isAsking}>
        <OccasionChoice />
        {isUnsaid ? <p class="lead">{UNSAID[askedFor]}</p> : <BudgetBar answer={data} />}
        {data.note && !isUnsaid && <p class="note">{data.note}</p>}
        {data.text !== '' && !isUnsaid && (
          <ToldText
            answer={data}
            shown={shown?.record ?? null}
            isHeld={shown?.isHeld ?? false}
            onShow={(record) => !shown?.isHeld && setShown({ record, isHeld: false })}
            onHold={(record) => setShown({ record, isHeld: shown?.record !== record || !shown.isHeld })}
          />
        )}
        {!isUnsaid && <LeftOutList leftOut={data.leftOut} />}
      </div>
      <aside class="preview-aside">
        {askedFor === 'start' && (
          <details class="try" open={matchMedia('(min-width: 1101px)').matches}>
            <summary>Try other settings</summary>
            <Controls answer={data} onSave={save} />
          </details>
        )}
        {data.records.length > 0 && !isUnsaid && (
          <section class="why-aside" aria-label="Why it is included" aria-live="polite">
            <h2>Why</h2>
            {shown ? <Why record={shown.record} /> : <p class="faint small">Point at an entry to see why it is included.</p>}
          </section>
        )}
      </aside>
    </div>
  );
}

const UNSAID = {
  prompt: 'Write a prompt to see which memories it would bring up.',
  file: 'Name a file to see what a session gets before it edits it.',
  start: '',
};
