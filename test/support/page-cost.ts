// What a page costs the thread that draws it: its longest task and its memory, with Chromium's own tracing; and a scroll as a wheel does it.
import type { CDPSession, Page } from '@playwright/test';

type TraceEvent = { name: string; ph: string; pid: number; tid: number; tdur?: number; args: { name?: string } };

/** In ms of CPU: whatever else runs on the machine does not count. */
export async function longestTask(client: CDPSession, work: () => Promise<unknown>): Promise<number> {
  const events: TraceEvent[] = [];
  const collect = ({ value }: { value: object[] }) => void events.push(...(value as TraceEvent[]));
  client.on('Tracing.dataCollected', collect);
  await client.send('Tracing.start', { categories: 'toplevel', transferMode: 'ReportEvents' });
  await work();
  const complete = new Promise((resolve) => client.once('Tracing.tracingComplete', resolve));
  await client.send('Tracing.end');
  await complete;
  client.off('Tracing.dataCollected', collect);
  const drawing = new Set(events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf));
  const tasks = events.filter((event) => event.name.endsWith('RunTask') && drawing.has(threadOf(event)));
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur / 1000));
}

const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;

/** Of JavaScript, in MB, once all that can go is gone. */
export async function readHeap(client: CDPSession): Promise<number> {
  await client.send('HeapProfiler.collectGarbage');
  const { usedSize } = (await client.send('Runtime.getHeapUsage')) as { usedSize: number };
  return usedSize / 1e6;
}

export type Passed = { rows: number; mostRows: number; frames: number };

/** A step in every frame, until so many rows have been on the page or so many frames were drawn. */
export const scrollPast = (page: Page, rows: number, frames = Number.MAX_SAFE_INTEGER): Promise<Passed> =>
  page.evaluate<Passed>(`(async () => {
    const seen = new Set();
    let [mostRows, drawn] = [0, 0];
    const end = performance.now() + 40_000;
    while (seen.size < ${rows} && drawn < ${frames} && performance.now() < end) {
      const all = document.querySelectorAll('article.line');
      mostRows = Math.max(mostRows, all.length);
      for (const one of all) seen.add(one.dataset.memory);
      scrollBy(0, 1200);
      await new Promise((resolve) => requestAnimationFrame(resolve));
      drawn++;
    }
    return { rows: seen.size, mostRows, frames: drawn };
  })()`);
