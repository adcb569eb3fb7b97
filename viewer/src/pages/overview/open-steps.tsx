// What is left to do, each with a box to tick it off; that can be undone.
import { useState } from 'preact/hooks';
import type { OpenStep } from '../../../../src/core/shapes/pages.ts';
import { ask } from '../../api.ts';
import { sayProblem } from '../../correct.ts';
import { formatAge, formatDateTime, formatNumber } from '../../format.ts';
import { openPanel } from '../../panel.ts';
import { say } from '../../parts/toasts.tsx';

export type OpenStepsProps = { steps: readonly OpenStep[]; total: number; onChanged: () => void };

export function OpenSteps({ steps, total, onChanged }: OpenStepsProps) {
  const [ticked, setTicked] = useState<ReadonlySet<number>>(new Set());
  const tick = async ({ id, text }: OpenStep, isDone: boolean): Promise<void> => {
    setTicked((before) => (isDone ? new Set(before).add(id) : new Set([...before].filter((one) => one !== id))));
    try {
      await ask(`/api/steps/${id}`, { method: 'POST', body: { isDone, by: 'user' } });
      const undo = () => void tick({ id, text, turn: '', project: '', at: 0 }, false);
      if (isDone) say(`Done: ${text}`, { action: { name: 'Undo', run: undo } });
      onChanged();
    } catch (error) {
      setTicked((before) => new Set([...before].filter((one) => one !== id)));
      sayProblem(error);
    }
  };
  if (steps.length === 0) return null;
  return (
    <section class="box" aria-labelledby="open-steps">
      <h2 id="open-steps">Left to do</h2>
      <ul class="todo">
        {steps.map((step) => (
          <li key={step.id} data-done={ticked.has(step.id) || undefined}>
            <label>
              <input type="checkbox" checked={ticked.has(step.id)} onChange={({ currentTarget }) => tick(step, currentTarget.checked)} />
              <span dir="auto">{step.text}</span>
            </label>
            <button type="button" class="quiet tiny" title="What was done in its turn" onClick={() => openPanel(step.turn)}>
              {step.project}
            </button>
            <span class="faint tiny number" title={formatDateTime(step.at)}>
              {formatAge(step.at)}
            </span>
          </li>
        ))}
      </ul>
      {total > steps.length && <p class="faint small">and {formatNumber(total - steps.length)} older</p>}
    </section>
  );
}
