// What can be done with one project: rename, merge, pause, exclude, its own settings, export, delete.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ForgetPreview } from '../../../../src/core/shapes/memory.ts';
import type { MergeAnswer, ProjectRow } from '../../../../src/core/shapes/project.ts';
import { ask } from '../../api.ts';
import { sayProblem } from '../../correct.ts';
import { formatCount, formatNumber } from '../../format.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Problem } from '../../parts/problem.tsx';
import { say } from '../../parts/toasts.tsx';
import { setQuery } from '../../router.ts';
import { pause, resume } from '../../silences.ts';
import { useAnswer } from '../../use-answer.ts';
import { download } from '../data.tsx';
import type { SettingsAnswer } from '../settings/answer.ts';
import { OwnSettings } from './own-settings.tsx';

export type ManageProjectProps = { row: ProjectRow; others: readonly ProjectRow[]; isPaused: boolean; onChanged: () => void };

export function ManageProject({ row, others, isPaused, onChanged }: ManageProjectProps) {
  const { key, project, root } = row;
  const [asked, setAsked] = useState<'merge' | 'delete' | null>(null);
  const [into, setInto] = useState(row.maybe?.key ?? '');
  const target = others.find((one) => one.key === into);
  const done = (work: Promise<unknown>) => void work.then(onChanged, sayProblem);
  return (
    <div class="project-more">
      <dl>
        <Way name="Rename">
          <Rename row={row} onChanged={onChanged} />
        </Way>
        <Way name="Merge into">
          <select aria-label="The project that stays" value={into} onChange={({ currentTarget }) => setInto(currentTarget.value)}>
            <option value="">Choose a project</option>
            {others.map((one) => (
              <option key={one.key} value={one.key}>
                {one.project} ({one.key})
              </option>
            ))}
          </select>
          <button type="button" disabled={!target} onClick={() => setAsked('merge')}>
            Merge
          </button>
        </Way>
        <Way name="Pause">
          {isPaused ? (
            <button type="button" onClick={() => done(resume({ scope: 'project', name: project }))}>
              Resume
            </button>
          ) : (
            <>
              <button type="button" onClick={() => done(pause({ project: key, minutes: 60 }))}>
                1 hour
              </button>
              <button type="button" onClick={() => done(pause({ project: key }))}>
                Until I resume
              </button>
            </>
          )}
          <span class="faint small">While paused, nothing of it is kept or added to a context.</span>
        </Way>
        {root && (
          <Way name="Exclude">
            <Exclude root={root} />
            <span class="faint small">Nothing that happens in an excluded folder is kept. What is remembered of it stays.</span>
          </Way>
        )}
        <Way name="Export">
          <button type="button" onClick={() => download(key).catch(() => say('The export could not be read.', { isBad: true }))}>
            Download
          </button>
        </Way>
        <Way name="Delete">
          <button type="button" class="danger" onClick={() => setAsked('delete')}>
            Delete permanently
          </button>
        </Way>
      </dl>
      <OwnSettings row={row} />
      {asked === 'merge' && target && <MergeDialog row={row} target={target} onClose={() => setAsked(null)} onMerged={onChanged} />}
      {asked === 'delete' && <DeleteDialog row={row} onClose={() => setAsked(null)} onDeleted={onChanged} />}
    </div>
  );
}

const Way = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd class="row">{children}</dd>
  </div>
);

function Exclude({ root }: { root: string }) {
  const { data, again } = useAnswer<SettingsAnswer>('/api/settings');
  if (!data) return null;
  const known = data.settings.find(({ name }) => name === 'excludePaths')?.value;
  const others = Array.isArray(known) ? known.map(String).filter((path) => path !== root) : [];
  const isExcluded = Array.isArray(known) && known.includes(root);
  const change = (paths: string[], said: string, undo: string[] | null) =>
    ask('/api/settings', { method: 'PATCH', body: { excludePaths: paths } }).then(() => {
      say(said, undo ? { action: { name: 'Undo', run: () => void change(undo, 'As before.', null) } } : {});
      again();
    }, sayProblem);
  const [included, excluded] = [others, [...others, root]];
  return isExcluded ? (
    <button type="button" onClick={() => change(included, `${root} is kept again.`, excluded)}>
      Include again
    </button>
  ) : (
    <button type="button" onClick={() => change(excluded, `${root} is excluded.`, included)}>
      Exclude {root}
    </button>
  );
}

function Rename({ row: { key, project }, onChanged }: { row: ProjectRow; onChanged: () => void }) {
  const [name, setName] = useState(project);
  const rename = async (to: string, isUndo = false) => {
    try {
      await ask('/api/projects', { method: 'PATCH', body: { project: key, name: to } });
      const undo = () => void rename(project, true);
      if (!isUndo) say(`Renamed ${project} to ${to}.`, { action: { name: 'Undo', run: undo } });
      onChanged();
    } catch (error) {
      sayProblem(error);
    }
  };
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() && name.trim() !== project) void rename(name.trim());
      }}
    >
      <input aria-label="Its new name" value={name} maxLength={100} onInput={({ currentTarget }) => setName(currentTarget.value)} />
      <button type="submit" disabled={name.trim() === '' || name.trim() === project}>
        Rename
      </button>
    </form>
  );
}

type MergeDialogProps = { row: ProjectRow; target: ProjectRow; onClose: () => void; onMerged: () => void };

/** For good: it is asked once more, with what it means. */
function MergeDialog({ row, target, onClose, onMerged }: MergeDialogProps) {
  const merge = async () => {
    try {
      const { moved } = await ask<MergeAnswer>('/api/projects/merge', { method: 'POST', body: { from: row.key, into: target.key } });
      say(`Merged: ${formatCount(moved.sessions, 'session')} and ${formatCount(moved.observations, 'memory')} moved.`);
      setQuery({ project: target.key });
      onClose();
      onMerged();
    } catch (error) {
      onClose();
      sayProblem(error);
    }
  };
  return (
    <Dialog title={`Merge ${row.project} into ${target.project}?`} onClose={onClose}>
      <p>
        {formatCount(row.sessions, 'session')} and {formatCount(row.observations, 'memory')} become part of {target.project}. This cannot be
        undone.
      </p>
      <p class="row">
        <button type="button" class="primary" onClick={merge}>
          Merge
        </button>
        <button type="button" data-first onClick={onClose}>
          Cancel
        </button>
      </p>
    </Dialog>
  );
}

function DeleteDialog({ row, onClose, onDeleted }: { row: ProjectRow; onClose: () => void; onDeleted: () => void }) {
  const preview = useAnswer<ForgetPreview>('/api/memory/scope', { project: row.key });
  const [typed, setTyped] = useState('');
  const [isBusy, setBusy] = useState(false);
  const erase = async () => {
    setBusy(true);
    try {
      await ask('/api/memory/erase', { method: 'POST', body: { project: row.key } });
      say(`Deleted ${row.project} permanently.`);
      setQuery({ project: null });
      onDeleted();
    } catch (error) {
      sayProblem(error);
    }
    onClose();
  };
  return (
    <Dialog title={`Delete ${row.project} permanently?`} onClose={onClose}>
      {preview.error && <Problem error={preview.error} onRetry={preview.again} />}
      {preview.data && (
        <p>
          {formatNumber(preview.data.sessions)} sessions, {formatNumber(preview.data.observations)} observations,{' '}
          {formatNumber(preview.data.prompts)} prompts and {formatNumber(preview.data.records)} records are removed from database, index,
          logs and backups. This cannot be undone.
        </p>
      )}
      <label class="field">
        <span>
          Type <code>{row.project}</code> to confirm
        </span>
        <input data-first value={typed} onInput={({ currentTarget }) => setTyped(currentTarget.value)} />
      </label>
      <p class="row">
        <button type="button" class="danger solid" disabled={typed !== row.project || isBusy || !preview.data} onClick={erase}>
          {isBusy ? 'Deleting' : 'Delete permanently'}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </p>
    </Dialog>
  );
}
