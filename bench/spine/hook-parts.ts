// Where the time of `hook save` goes: programs that do a part of what it does, in the same rounds.
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BenchHome } from './bench-home.ts';
import type { Figure } from './benchmark.ts';
import { type BuiltPlugin, placeBuilt } from './built-plugin.ts';
import { formatMs, median } from './quantile.ts';
import { cpuOf, type Timed, type Variant } from './rounds.ts';

const SRC = join(import.meta.dir, '../../src');
const PROGRAMS = {
  empty: '',
  stdin: `import { openStdin } from '${SRC}/hook/stdin.ts';
    const stdin = openStdin();
    while (!stdin.isOver) await stdin.more();`,
  call: `import { openLine } from '${SRC}/client/send.ts';
    const { kind } = await openLine(process.argv[2] ?? '').send('{}', 1000);
    if (kind !== 'answer') process.exit(1);`,
};

/** What each part takes of the processor: the difference of two. What no part explains is envelope, print and exit. */
const PARTS = {
  launcher: ['part: launcher', 'bun -e 0'],
  bundle: ['part: bundle', 'part: launcher'],
  stdin: ['part: stdin', 'part: launcher'],
  'connect, send, ack': ['part: call', 'part: launcher'],
} as const;

type Deps = {
  built: BuiltPlugin;
  time: (command: string[], stdin?: Uint8Array) => Promise<Timed>;
  makeStdin: (round: number) => Uint8Array;
};

/** `dispose` ends the worker that stores nothing and acks at once. */
export async function makePartVariants(home: BenchHome, { built, time, makeStdin }: Deps) {
  const folder = home.project('parts');
  const [launcher = ''] = home.hook('save');
  const own = join(folder, 'own/bin/start-bun');
  mkdirSync(dirname(own), { recursive: true });
  copyFileSync(launcher, own);
  symlinkSync(built.bun, join(dirname(own), 'bun'));
  for (const [name, text] of Object.entries(PROGRAMS)) {
    const entry = join(folder, `${name}.ts`);
    writeFileSync(entry, `${text}\nprocess.exit(0);\nexport {};\n`);
    await Bun.build({ entrypoints: [entry], outdir: join(folder, 'own/dist'), target: 'bun', format: 'esm', minify: true });
  }
  const unix = join(folder, 'worker.sock');
  const data = (socket: Bun.Socket, bytes: Buffer) => {
    if (bytes.at(-1) === 10) socket.write('{"id":"0","ok":true}\n');
  };
  const server = Bun.listen({ unix, socket: { data } });
  placeBuilt(built, join(folder, 'plugin'), folder);
  const variants: Variant[] = [
    { name: 'part: launcher', measure: () => time([own, 'empty.js']) },
    { name: 'part: bundle', measure: () => time([launcher, 'hook.js', 'nothing']) },
    { name: 'part: stdin', measure: (round) => time([own, 'stdin.js'], makeStdin(round)) },
    { name: 'part: call', measure: () => time([own, 'call.js', unix]) },
    {
      name: 'part: all but the worker',
      measure: (round) => time([join(folder, 'plugin/bin/start-bun'), 'hook.js', 'save'], makeStdin(round)),
    },
  ];
  return { variants, dispose: () => server.stop(true) };
}

export function describeParts(times: Record<string, number[]>): Figure {
  const p50 = (name: string) => median(times[name] ?? []);
  const cpu = (name: string) => p50(cpuOf(name));
  const parts = Object.entries(PARTS).map(([part, [more, less]]) => [part, cpu(more) - cpu(less)] as const);
  const rest = cpu('hook save') - cpu('bun -e 0') - parts.reduce((sum, [, ms]) => sum + ms, 0);
  // Another process: seen only by how long it is waited for.
  const worker = p50('hook save') - p50('part: all but the worker');
  const all = [['bun -e 0', cpu('bun -e 0')], ...parts, ['envelope, print, exit', rest], ['wait for the worker', worker]] as const;
  return {
    what: 'where a hook save goes',
    figure: all.map(([part, ms]) => `${part} ${formatMs(ms)}`).join(', '),
    ratio: null,
    goal: null,
    values: Object.fromEntries(all),
  };
}
