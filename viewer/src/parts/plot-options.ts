// How a plot is drawn: thin axes, our own colours and type, words of the reader's locale. No legend: that is text beside it.
import uPlot from 'uplot';

export type PlotSeries = {
  name: string;
  values: number[];
  /** A custom property of tokens.css: `--accent`. */
  color: string;
};

export type PlotShape = {
  /** bars: a stack for each x. steps: how much it was from each x on. */
  kind: 'bars' | 'steps';
  xs: number[];
  /** Where it begins, when that is before the first. */
  firstX?: number;
  /** The lowest first. */
  series: PlotSeries[];
  /** A line across: what must not be passed. */
  limit?: { value: number; color: string } | undefined;
  /** Steps between the words below the plot, the smallest first; the first that has room is taken. */
  xSteps: number[];
  sayX: (x: number) => string;
  sayY: (y: number) => string;
  /** The words beside it never stand closer in value than this: a thing is whole. */
  smallestY?: number;
};

type Look = { em: number };

export type Size = { width: number; height: number };

/** Words and ranges are asked for at every drawing: `current` has the latest data, which come more often than a plot is made. */
export function plotOptions(current: () => PlotShape, size: Size, onPick: (at: number) => void): uPlot.Options {
  const look = readLook();
  const shape = current();
  return {
    ...size,
    padding: [look.em * 0.6, look.em * 0.8, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: false, range: () => rangeX(current()) },
      y: { range: (_, __, max) => [0, topOf(current(), max)] },
    },
    axes: [axisX(current, look), axisY(current, look)],
    series: [{}, ...[...shape.series].reverse().map((one) => drawSeries(shape, one))],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: false, y: false, setScale: false },
      move: (plot, left, top) => [left < 0 ? left : snap(plot, left), top],
    },
    hooks: {
      draw: [(plot) => drawLimit(plot, current())],
      setCursor: [({ cursor }) => typeof cursor.idx === 'number' && onPick(cursor.idx)],
    },
  };
}

function readLook(): Look {
  return { em: Number.parseFloat(getComputedStyle(document.documentElement).fontSize) };
}

/** As it is in the theme of now: a canvas knows neither variables nor light-dark(). */
function colorOf(name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** The sums from the lowest on, the highest first: each is painted over the one before. */
export function plotData({ xs, series }: PlotShape): uPlot.AlignedData {
  let below = xs.map(() => 0);
  const sums = series.map(({ values }) => {
    below = below.map((sum, at) => sum + (values[at] ?? 0));
    return below;
  });
  return [xs, ...sums.reverse()];
}

function rangeX({ kind, xs, firstX }: PlotShape): [number, number] {
  const [first, last] = [firstX ?? xs[0] ?? 0, xs.at(-1) ?? 1];
  return kind === 'bars' ? [first - 0.6, last + 0.6] : [first, last];
}

/** With some air above; a plot of nothing is not a plot of fractions. */
const topOf = ({ limit, smallestY = 1 }: PlotShape, max: number) => Math.max((max ?? 0) * 1.08, (limit?.value ?? 0) * 1.08, smallestY * 4);

function axisX(current: () => PlotShape, look: Look): uPlot.Axis {
  return {
    ...plainAxis(look),
    size: look.em * 1.8,
    incrs: current().xSteps,
    space: look.em * 4.6,
    grid: { show: false },
    ticks: { show: false },
    values: (_, splits) => splits.map(current().sayX),
  };
}

function axisY(current: () => PlotShape, look: Look): uPlot.Axis {
  const { smallestY = 1 } = current();
  const incrs = [1, 2, 5].flatMap((digit) => Array.from({ length: 12 }, (_, power) => digit * 10 ** power));
  return {
    ...plainAxis(look),
    size: (_, values) => widthOf(values ?? [], look),
    incrs: incrs.filter((incr) => incr >= smallestY).sort((a, b) => a - b),
    space: look.em * 2.4,
    grid: { stroke: colorOf('--line'), width: 1 },
    ticks: { show: false },
    values: (_, splits) => splits.map(current().sayY),
  };
}

/** As wide as its longest word: figures are of one width. */
const widthOf = (words: string[], { em }: Look) => em * (1 + 0.45 * Math.max(3, ...words.map(({ length }) => length)));

const plainAxis = (look: Look): uPlot.Axis => ({
  stroke: colorOf('--ink-faint'),
  font: `${look.em * 0.75}px ${getComputedStyle(document.body).fontFamily}`,
  gap: look.em * 0.35,
});

function drawSeries({ kind }: PlotShape, { color }: PlotSeries): uPlot.Series {
  const paint = colorOf(color);
  const builders = uPlot.paths;
  if (kind === 'bars') return { ...barPaths(builders), stroke: paint, fill: paint, width: 0, points: { show: false } };
  return {
    ...(builders.stepped ? { paths: builders.stepped({ align: 1 }) } : {}),
    stroke: paint,
    fill: `color-mix(in srgb, ${paint} 14%, transparent)`,
    width: 1.5,
    points: { show: false },
  };
}

const barPaths = ({ bars }: uPlot.Series.PathBuilderFactories) => (bars ? { paths: bars({ size: [0.72, 44], radius: 0 }) } : {});

const snap = (plot: uPlot, left: number) => plot.valToPos(plot.data[0][plot.posToIdx(left)] ?? 0, 'x');

function drawLimit({ ctx, bbox, valToPos }: uPlot, { limit }: PlotShape): void {
  if (!limit) return;
  const y = Math.round(valToPos(limit.value, 'y', true));
  ctx.save();
  ctx.strokeStyle = colorOf(limit.color);
  ctx.lineWidth = devicePixelRatio * 1.5;
  ctx.setLineDash([devicePixelRatio * 5, devicePixelRatio * 4]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}
