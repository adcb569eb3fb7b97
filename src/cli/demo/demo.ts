// The demo, from its first line to its last: a recorded week is played into a memory of its own, and what comes of it is shown.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { askWorker, pingWorker } from '../../client/api.ts';
import { quoteWord, sayCount } from '../../core/text.ts';
import { shellPath } from '../../paths.ts';
import { openBrowser } from '../commands/token.ts';
import { describeCommand } from '../install/plugin-folder.ts';
import { findTerminal } from '../print.ts';
import { indexWeek, playWeek, readWeek, type Week } from './claude-session.ts';
import { showContext, showQuestions, showSession, showUnkept, showWeek, type Voice } from './show.ts';
import { openStage, type Stage } from './stage.ts';
import { runTeamDemo } from './team.ts';

type DemoOptions = { keep?: boolean | undefined; viewer?: boolean | undefined; team?: boolean | undefined; postgres?: string | undefined };

export async function runDemo({ keep = false, viewer = false, team = false, postgres }: DemoOptions): Promise<number> {
  if (Bun.which('git') === null) throw new Error('The demo works in a git repository, and there is no git. Install git, then try again.');
  const startedAt = performance.now();
  const voice = createVoice();
  if (team || postgres !== undefined) return runTeamDemo(voice, { postgres });
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'claude-mem-demo-')));
  let stage: Stage | null = null;
  const interrupted = nextSignal();
  try {
    const week = readWeek();
    stage = openStage({ home, dist: import.meta.dir, port: viewer ? findFreePort() : 0 }, week);
    const code = await Promise.race([perform(stage, week, voice), interrupted]);
    if (code !== 0) return code;
    voice.say('', `It took ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
    if (viewer) await serveViewer(stage, voice, interrupted);
  } finally {
    await stage?.close();
    if (keep && stage) sayKept(voice, stage);
    else {
      rmSync(home, { recursive: true, force: true });
      voice.say('Everything it made is removed.');
    }
  }
  sayNext(voice, viewer);
  return 0;
}

/** In words that the person's shell understands: in a clone there may be no command of that name. */
function sayNext({ say }: Voice, isSeen: boolean): void {
  const root = dirname(import.meta.dir);
  const isFound = describeCommand({ dist: import.meta.dir }, shellPath()) === null;
  const first = isFound ? '' : `npm install --global ${process.cwd() === root ? '.' : quoteWord(root)} && `;
  say('', 'To have this in your own sessions:', `  ${first}claude-mem install`);
  if (!isSeen) say('`demo --viewer` shows the same memory in the browser.');
}

function sayKept({ say }: Voice, { repository, paths }: Stage): void {
  say('It is kept. To look around:', `  cd ${quoteWord(repository.root)}`);
  say(`  export CLAUDE_MEM_DATA_DIR=${quoteWord(paths.dataDir)}`, '  claude-mem search carrier');
}

async function perform(stage: Stage, week: Week, voice: Voice): Promise<number> {
  const { say, title } = voice;
  say(
    'A recorded week of work, played into a memory of its own. Nothing of yours is',
    'read or changed; no Claude Code, no model, no network.',
  );
  title(`1. The week: ${sayCount(week.sessions.length, 'sessions')}, through the real hook and worker`);
  const hookMs: number[] = [];
  await playWeek(stage, week, (played) => {
    hookMs.push(...played.hookMs);
    showSession(voice, played);
  });
  await showWeek(voice, stage, hookMs);
  title('2. What the next session gets before its first prompt, and why');
  await showContext(voice, stage);
  title('3. Three questions, asked of grep and of the memory');
  await indexWeek(stage);
  await showQuestions(voice, stage, week);
  title('4. What must not be in the memory');
  return showUnkept(voice, stage, week) ? 0 : 1;
}

function createVoice(): Voice {
  const { width, paint } = findTerminal();
  const say = (...lines: string[]) => console.log(lines.join('\n'));
  return { width: Math.min(width, 100), paint, say, title: (text) => say('', paint('bold', text), '') };
}

/** 128 and the signal, as a shell counts. */
function nextSignal(): Promise<number> {
  const numbers = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(numbers[signal]));
  });
}

/** So that neither the person's own worker nor another program loses its port. */
function findFreePort(): number {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() });
  const { port = 0 } = server;
  server.stop(true);
  return port;
}

const LOOK_MS = 1000;

async function serveViewer(stage: Stage, { say }: Voice, interrupted: Promise<number>): Promise<void> {
  const { url } = await askWorker<{ url: string }>(stage.paths, '/api/token/link', { method: 'POST' });
  say('', 'The same memory in the viewer; the link works once, within ten minutes:', url);
  openBrowser(url);
  say('Ctrl-C ends the demo.');
  let isOver = false;
  void interrupted.then(() => {
    isOver = true;
  });
  while (!isOver && (await pingWorker(stage.paths)) !== null) await Promise.race([interrupted, Bun.sleep(LOOK_MS)]);
}
