// A plot on a canvas, which a pointer and the arrow keys can read value by value. What it shows stands as text beside it, see figure.tsx.
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { theme } from '../theme.ts';
import { type PlotShape, plotData, plotOptions, type Size } from './plot-options.ts';

export type PlotProps = {
  shape: PlotShape;
  /** In rem. */
  height: number;
  /** What the arrow keys go through: `Day`. */
  steps: string;
  picked: number | null;
  /** Null: none any more. */
  onPick: (at: number | null) => void;
  /** What is there, for those who do not see it. */
  sayPicked: (at: number) => string;
};

export function Plot({ shape, height, steps, picked, onPick, sayPicked }: PlotProps) {
  const canvas = useRef<HTMLDivElement>(null);
  const plot = usePlot(canvas, shape, height, onPick);
  const last = shape.xs.length - 1;
  const move = (at: number | null) => {
    onPick(at);
    pointAt(plot.current, at);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = nextIndex(event.key, picked ?? last, last);
    if (next === null) return;
    event.preventDefault();
    move(next);
  };
  return (
    <div
      class="plot"
      role="slider"
      tabIndex={0}
      aria-label={steps}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={picked ?? last}
      aria-valuetext={sayPicked(picked ?? last)}
      onKeyDown={onKeyDown}
      onBlur={() => move(null)}
    >
      <div ref={canvas} style={{ height: `${height}rem` }} />
    </div>
  );
}

/** Made anew when its look changes; otherwise only its data are. */
function usePlot(canvas: { current: HTMLDivElement | null }, shape: PlotShape, height: number, onPick: PlotProps['onPick']) {
  const plot = useRef<uPlot | null>(null);
  const look = useLook();
  const latest = useRef({ shape, onPick });
  latest.current = { shape, onPick };
  const structure = `${look} ${height} ${shape.kind} ${shape.series.length} ${shape.limit?.value}`;
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const pick = (at: number | null) => latest.current.onPick(at);
    const options = plotOptions(() => latest.current.shape, sizeOf(element, height), pick);
    const made = new uPlot(options, plotData(latest.current.shape), element);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize(sizeOf(element, height)));
    resized.observe(element);
    const leave = () => pick(null);
    element.addEventListener('pointerleave', leave);
    return () => {
      resized.disconnect();
      element.removeEventListener('pointerleave', leave);
      made.destroy();
      plot.current = null;
    };
  }, [structure]);
  useEffect(() => plot.current?.setData(plotData(shape)), [shape]);
  return plot;
}

function sizeOf(element: HTMLElement, height: number): Size {
  const em = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return { width: Math.max(120, element.clientWidth), height: Math.round(height * em) };
}

function pointAt(plot: uPlot | null, at: number | null): void {
  const x = at === null ? undefined : plot?.data[0][at];
  plot?.setCursor({ left: x === undefined ? -10 : plot.valToPos(x, 'x'), top: x === undefined ? -10 : 1 }, false);
}

function nextIndex(key: string, at: number, last: number): number | null {
  if (key === 'ArrowLeft' || key === 'ArrowDown') return Math.max(0, at - 1);
  if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(last, at + 1);
  if (key === 'Home') return 0;
  return key === 'End' ? last : null;
}

/** Changes whenever the colours do: a canvas does not follow them by itself. */
function useLook(): string {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const [isDark, setIsDark] = useState(system.matches);
  useEffect(() => {
    const note = () => setIsDark(system.matches);
    system.addEventListener('change', note);
    return () => system.removeEventListener('change', note);
  }, []);
  return `${theme.value} ${isDark}`;
}
