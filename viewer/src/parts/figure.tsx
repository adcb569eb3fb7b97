// A figure: its name, what it shows in a sentence, the plot, what each colour is with its value, and all numbers for those who want them.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Plot } from './plot.tsx';
import type { PlotShape } from './plot-options.ts';

export type FigureProps = {
  title: string;
  /** What a person should see in it. */
  sentence: ComponentChildren;
  shape: PlotShape;
  height?: number;
  /** What stands at each x: `Day`. */
  steps: string;
  /** The whole word for an x: `Monday, 16 November`. */
  sayAt: (at: number) => string;
  /** What the values below are of, while no x is picked: `30 days`. */
  whole: string;
  /** Beside each name; while no x is picked, of the whole. */
  sayValue: (values: number[], at: number | null) => string;
};

export function Figure({ title, sentence, shape, height = 13, steps, sayAt, whole, sayValue }: FigureProps) {
  const [picked, setPicked] = useState<number | null>(null);
  const at = picked !== null && picked < shape.xs.length ? picked : null;
  const describe = (index: number) =>
    `${sayAt(index)}: ${shape.series.map(({ name, values }) => `${name} ${sayValue(values, index)}`).join(', ')}`;
  return (
    <figure class="figure">
      <figcaption>
        <h2>{title}</h2>
        <p class="faint small">{sentence}</p>
      </figcaption>
      <Plot shape={shape} height={height} steps={`${title}: ${steps}`} picked={at} onPick={setPicked} sayPicked={describe} />
      <dl class={shape.series.length > 1 ? 'legend small' : 'legend single small'}>
        <div class="legend-at">
          <dt class="hidden-text">Shown</dt>
          <dd class="faint">{at === null ? whole : sayAt(at)}</dd>
        </div>
        {shape.series.map(({ name, values, color }) => (
          <div key={name}>
            <dt>
              <span class="swatch" style={{ background: `var(${color})` }} />
              {name}
            </dt>
            <dd class="number">{sayValue(values, at)}</dd>
          </div>
        ))}
      </dl>
      <Numbers title={title} steps={steps} shape={shape} sayValue={sayValue} />
    </figure>
  );
}

type NumbersProps = Pick<FigureProps, 'title' | 'steps' | 'shape' | 'sayValue'>;

function Numbers({ title, steps, shape, sayValue }: NumbersProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="numbers small" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Numbers</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
        <section class="numbers-scroll" tabIndex={0} aria-label={`${title}: all numbers`}>
          <table aria-label={title}>
            <thead>
              <tr>
                <th scope="col">{steps}</th>
                {shape.series.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shape.xs.map((x, at) => (
                <tr key={`${x} ${at}`}>
                  <th scope="row">{shape.sayX(x)}</th>
                  {shape.series.map(({ name, values }) => (
                    <td key={name}>{sayValue(values, at)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
