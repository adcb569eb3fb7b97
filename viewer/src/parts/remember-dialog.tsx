// A person has something remembered, for a project or for all of them.
import { useEffect, useState } from 'preact/hooks';
import type { SaveAnswer } from '../../../src/core/shapes/memory.ts';
import { ApiError, ask } from '../api.ts';
import { unhide } from '../correct.ts';
import { readFilter } from '../filter.ts';
import { noteRemoved } from '../memories.ts';
import { openPanel } from '../panel.ts';
import { followProjects, projects } from '../projects.ts';
import { Dialog } from './dialog.tsx';
import { Problem } from './problem.tsx';
import { say } from './toasts.tsx';

const EVERYWHERE = '*';

export function RememberDialog({ onClose }: { onClose: () => void }) {
  useEffect(followProjects, []);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(readFilter().project);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const project = chosen || projects.value[0]?.value || EVERYWHERE;
  const save = async (event: Event) => {
    event.preventDefault();
    const where = project === EVERYWHERE ? { global: true } : { project };
    try {
      const answer = await ask<SaveAnswer>('/api/memory/save', { method: 'POST', body: { text, ...where, by: 'user' } });
      onClose();
      sayRemembered(answer);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setProblem(error);
    }
  };
  return (
    <Dialog title="Remember" onClose={onClose}>
      <form class="stack" onSubmit={save}>
        <label class="field">
          <span>What should sessions know?</span>
          <textarea
            required
            data-first
            rows={5}
            dir="auto"
            placeholder="Deploys happen from main, on weekdays before 16:00."
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>Where it applies</span>
          <select value={project} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
            {projects.value.map(({ value, name }) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
            <option value={EVERYWHERE}>In every project</option>
          </select>
        </label>
        {problem && <Problem error={problem} />}
        <p class="row dialog-foot">
          <button type="submit" class="primary">
            Remember
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}

function sayRemembered({ id, isNew }: SaveAnswer): void {
  const undo = async () => {
    await ask(`/api/observations/${id}`, { method: 'DELETE' });
    noteRemoved([id]);
    say(`Hidden: #${id}.`, { action: { name: 'Show again', run: () => void unhide([id]) } });
  };
  if (isNew) say(`Remembered as #${id}.`, { action: { name: 'Undo', run: () => void undo() } });
  else say(`Known already, as #${id}.`, { action: { name: 'Open', run: () => openPanel(id) } });
}
