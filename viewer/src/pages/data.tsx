// The page "Data": import what is on this machine, take everything away, verified backups, and the jobs that do it.
import { useEffect, useState } from 'preact/hooks';
import type { BackupsAnswer, ImportAnswer, Job, JobsAnswer, Restored } from '../../../src/core/shapes/job.ts';
import { ask, authorization } from '../api.ts';
import { sayProblem } from '../correct.ts';
import { formatAgo, formatCount, formatDate, formatDateTime, formatSize } from '../format.ts';
import { Copyable } from '../parts/copyable.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Problem } from '../parts/problem.tsx';
import { say } from '../parts/toasts.tsx';
import { projects } from '../projects.ts';
import { useAnswer } from '../use-answer.ts';
import { useWhenLive } from '../when-live.ts';
import { useWhileVisible } from '../while-visible.ts';
import { Jobs } from './data/jobs.tsx';
import type { PageProps } from './index.ts';
import '../styles/data.css';

const EVERY_MS = 1000;
const isAtWork = ({ status }: Job) => status === 'waiting' || status === 'running';

export function DataPage(_: PageProps) {
  const jobs = useAnswer<JobsAnswer>('/api/jobs', { limit: 10 });
  const all = jobs.data?.jobs ?? [];
  const isBusy = all.some(isAtWork);
  useWhileVisible(jobs.again, isBusy ? EVERY_MS : null);
  const backups = useAnswer<BackupsAnswer>('/api/backups');
  useEffect(() => {
    if (!isBusy) backups.again();
  }, [isBusy]);
  // After a restore it is another memory.
  useWhenLive(() => {
    jobs.again();
    backups.again();
  });
  const start = (work: Promise<Job>) => work.then(jobs.again, sayProblem);
  return (
    <div class="page data">
      <header>
        <h1>Data</h1>
      </header>
      <div class="data-grid">
        <Import isBusy={isBusy} onStart={start} />
        <Export />
        <Backups answer={backups.data} isBusy={isBusy} onStart={start} />
        <Jobs jobs={all} onCancelled={jobs.again} />
      </div>
      {jobs.error && !jobs.data && <Problem error={jobs.error} onRetry={jobs.again} />}
    </div>
  );
}

type StartProps = { isBusy: boolean; onStart: (work: Promise<Job>) => void };

const AGENTS: Record<string, string> = { 'claude-code': 'Claude Code', codex: 'Codex', gemini: 'Gemini CLI' };

/** What is there is looked for when somebody wants it: thousands of files may have to be opened. */
function Import({ isBusy, onStart }: StartProps) {
  const [isLooking, setLooking] = useState(false);
  const found = useAnswer<ImportAnswer>(isLooking ? '/api/import/found' : null);
  const sessions = Object.entries(found.data?.sessions ?? {});
  const read = (agent?: string) =>
    onStart(ask<Job>('/api/import/found', { method: 'POST', body: { ...(agent ? { agent } : {}), by: 'user' } }));
  return (
    <section class="box" aria-labelledby="import">
      <h2 id="import">Import past sessions</h2>
      <p class="faint small">
        Reads the transcripts that your agents keep on this machine. It costs nothing, and what is known already is not stored again.
      </p>
      {!isLooking && (
        <p>
          <button type="button" class="primary" onClick={() => setLooking(true)}>
            Look for sessions
          </button>
        </p>
      )}
      {found.isAsking && isLooking && <p role="status">Looking</p>}
      {found.error && <Problem error={found.error} onRetry={found.again} />}
      {found.data && sessions.length === 0 && <p>No transcript of Claude Code, Codex or Gemini CLI is on this machine.</p>}
      {found.data && sessions.length > 0 && (
        <>
          <ul class="found">
            {sessions.map(([agent, count]) => (
              <li key={agent}>
                <span>
                  {AGENTS[agent] ?? agent}: <strong class="number">{formatCount(count, 'session')}</strong>
                </span>
                <button type="button" disabled={isBusy} onClick={() => read(agent)}>
                  Import
                </button>
              </li>
            ))}
          </ul>
          <p class="faint small">
            {formatSize(found.data.bytes)}
            {found.data.from !== null && `, from ${formatDate(found.data.from)} to ${formatDate(found.data.to ?? found.data.from)}`}
          </p>
          {sessions.length > 1 && (
            <p>
              <button type="button" class="primary" disabled={isBusy} onClick={() => read()}>
                Import all
              </button>
            </p>
          )}
        </>
      )}
      <p class="faint small">
        An export, or a folder elsewhere: <Copyable text="claude-mem import PATH" />
      </p>
    </section>
  );
}

function Export() {
  const [project, setProject] = useState('');
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    await download(project).catch(() => say('The export could not be read. See the log.', { isBad: true }));
    setBusy(false);
  };
  return (
    <section class="box" aria-labelledby="export">
      <h2 id="export">Export</h2>
      <p class="faint small">A file of JSON lines with sessions, prompts, records and memories. It is as private as the memory itself.</p>
      <p class="row">
        <select aria-label="What to export" value={project} onChange={({ currentTarget }) => setProject(currentTarget.value)}>
          <option value="">Everything</option>
          {projects.value.map(({ value, name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
        <button type="button" disabled={isBusy} onClick={save}>
          {isBusy ? 'Reading' : 'Download'}
        </button>
      </p>
    </section>
  );
}

/** By fetch, because the token belongs in a header. */
export async function download(project: string): Promise<void> {
  const query = project ? `?project=${encodeURIComponent(project)}` : '';
  const response = await fetch(`/api/export${query}`, { headers: authorization() });
  if (!response.ok) throw new Error(`the export answered ${response.status}`);
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = `claude-mem${project ? `-${project.replace(/[^\w.-]+/g, '-')}` : ''}-${new Date().toISOString().slice(0, 10)}.jsonl`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const SHOWN_COPIES = 7;
type Copy = { path: string; at: number };

function Backups({ answer, isBusy, onStart }: StartProps & { answer: BackupsAnswer | null }) {
  const copies = answer?.copies ?? [];
  const [asked, setAsked] = useState<Copy | null>(null);
  return (
    <section class="box" aria-labelledby="backup">
      <h2 id="backup">Backups</h2>
      <p class="faint small">
        Made by themselves every day and read through before they count
        {answer && (
          <>
            , in <code>{answer.folder}</code>
          </>
        )}
        .
      </p>
      <p>
        <button type="button" disabled={isBusy} onClick={() => onStart(ask<Job>('/api/backups', { method: 'POST', body: { by: 'user' } }))}>
          Back up now
        </button>
      </p>
      {copies.length > 0 && (
        <ul class="found">
          {copies.slice(0, SHOWN_COPIES).map(({ path, at, bytes }) => (
            <li key={path}>
              <span title={path}>
                {formatDateTime(at)} <span class="faint">{formatAgo(at)}</span>
              </span>
              <span class="number faint">{formatSize(bytes)}</span>
              <button type="button" class="quiet" disabled={isBusy} onClick={() => setAsked({ path, at })}>
                Restore
              </button>
            </li>
          ))}
        </ul>
      )}
      {answer?.restored && <RestoredNote {...answer.restored} />}
      {asked && <RestoreDialog copy={asked} onClose={() => setAsked(null)} />}
    </section>
  );
}

const RestoredNote = ({ copy, at, keptAs, error }: Restored) => (
  <p class={error ? 'note warn small' : 'note small'} role="status">
    {error
      ? `Not restored ${formatAgo(at)}: ${error}`
      : `Restored ${copy.split('/').at(-1)} ${formatAgo(at)}. The memory of before is kept as `}
    {keptAs && <code>{keptAs}</code>}
  </p>
);

function RestoreDialog({ copy: { path, at }, onClose }: { copy: Copy; onClose: () => void }) {
  const restore = async () => {
    onClose();
    await ask('/api/backups/restore', { method: 'POST', body: { copy: path, by: 'user' } }).then(
      () => say('Restoring. This page reconnects when the copy is in place.'),
      sayProblem,
    );
  };
  return (
    <Dialog title={`Restore the copy of ${formatDateTime(at)}?`} onClose={onClose}>
      <p>
        It replaces the present memory, which is kept beside it in <code>backups/</code>. What was deleted since stays deleted; what was
        learned since is only in the one that is kept.
      </p>
      <p class="row">
        <button type="button" class="primary" onClick={restore}>
          Restore
        </button>
        <button type="button" data-first onClick={onClose}>
          Cancel
        </button>
      </p>
    </Dialog>
  );
}
