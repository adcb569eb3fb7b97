// `claude-mem search --interactive`: finds as you type, with a preview. It draws on stderr, so that the result can go elsewhere.
import type { Key } from 'node:readline';
import { plainLine } from '../core/plain-line.ts';
import type { SearchAnswer, SearchHit } from '../core/shapes/search.ts';
import { wrapText } from './describe-error.ts';
import { clip, createHighlighter, drawHit, findTerminal, fit } from './print.ts';

/** `find` and `preview` may take long, and fail; what comes of an older question is not shown. */
type FinderDeps = {
  query: string;
  find: (query: string) => Promise<SearchAnswer>;
  preview: (id: string) => Promise<string>;
};

/** `copied`: the clipboard has it already. Null: nothing was chosen. */
export type Chosen = { hit: SearchHit; copied: boolean } | null;

type State = {
  query: string;
  /** Of the query that is shown; null before the first answer. */
  found: { query: string; hits: SearchHit[]; total: number; note: string | null } | null;
  at: number;
  preview: { id: string; text: string } | null;
  problem: string | null;
};

/** Nobody types faster than this for long. */
const PAUSE_MS = 60;

export async function findInteractively({ query, find, preview }: FinderDeps): Promise<Chosen> {
  const state: State = { query, found: null, at: 0, preview: null, problem: null };
  const { promise, resolve } = Promise.withResolvers<Chosen>();
  const screen = openScreen(() => draw(state));
  let timer: Timer | undefined;
  const fail = (error: unknown) => {
    state.problem = error instanceof Error ? error.message : String(error);
    screen.refresh();
  };

  const look = async () => {
    const asked = state.query;
    const { results: hits, total, note } = await find(asked);
    if (asked !== state.query) return;
    Object.assign(state, { found: { query: asked, hits, total, note }, at: 0, problem: null });
    showPreview();
  };
  const showPreview = () => {
    screen.refresh();
    const id = chosenOf(state)?.id;
    if (id === undefined || state.preview?.id === id) return;
    preview(id).then((text) => {
      if (chosenOf(state)?.id !== id) return;
      state.preview = { id, text };
      screen.refresh();
    }, fail);
  };
  const onKey = (typed: string | undefined, key: Key) => {
    const action = readKey(state, typed, key);
    if (action === 'leave') return resolve(null);
    if (action === 'print' || action === 'copy') {
      const hit = chosenOf(state);
      return hit && resolve({ hit, copied: action === 'copy' });
    }
    if (action === 'look') {
      clearTimeout(timer);
      timer = setTimeout(() => look().catch(fail), PAUSE_MS);
    }
    showPreview();
  };
  process.stdin.on('keypress', onKey);
  look().catch(fail);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    process.stdin.off('keypress', onKey);
    screen.close();
  }
}

const chosenOf = ({ found, at }: State) => found?.hits[at];

const PAGE = 5;
const MOVES: Record<string, number> = { up: -1, down: 1, pageup: -PAGE, pagedown: PAGE, home: -1e6, end: 1e6 };
const CONTROLS: Record<string, string> = { p: 'up', n: 'down', k: 'up', j: 'down' };

/** Changes the state by a key, and says what is to be done. */
function readKey(state: State, typed: string | undefined, { name = '', ctrl, meta }: Key): 'leave' | 'print' | 'copy' | 'look' | 'move' {
  if (name === 'escape' || (ctrl && ['c', 'd', 'g'].includes(name))) return 'leave';
  if (name === 'return' || name === 'enter') return 'print';
  if (ctrl && name === 'y') return 'copy';
  const step = MOVES[(ctrl && CONTROLS[name]) || name];
  if (step !== undefined) {
    state.at = Math.max(0, Math.min((state.found?.hits.length ?? 1) - 1, state.at + step));
    return 'move';
  }
  const before = state.query;
  if (ctrl && name === 'u') state.query = '';
  else if ((ctrl && name === 'w') || (meta && name === 'backspace')) state.query = before.replace(/\S*\s*$/, '');
  else if (name === 'backspace' || (ctrl && name === 'h')) state.query = [...before].slice(0, -1).join('');
  else if (typed && !ctrl && !meta && !/\p{Cc}/u.test(typed)) state.query += typed;
  return state.query === before ? 'move' : 'look';
}

type Picture = { lines: string[]; column: number };

/** Its rows below the query, then the preview, then the keys: as many lines as the terminal has. The cursor stands behind the query. */
function draw(state: State): Picture {
  const terminal = findTerminal(process.stderr);
  const { width, height, paint } = terminal;
  const listHeight = Math.max(1, Math.floor((height - 3) / 2));
  const hits = state.found?.hits ?? [];
  const highlight = createHighlighter(state.found?.query ?? '', (text) => paint('match', text));
  const first = Math.max(0, state.at - listHeight + 1);
  const idWidth = Math.max(0, ...hits.map(({ id }) => id.length));
  const rows = hits.slice(first, first + listHeight).map((hit, line) => {
    const isChosen = first + line === state.at;
    const shown = { ...hit, title: plainLine(hit.title || 'untitled', width) };
    const row = { idWidth, now: Date.now(), withProject: false };
    const mark = isChosen ? paint('bold', '> ') : '  ';
    return mark + drawHit(shown, row, { ...terminal, width: width - 2 }, highlight);
  });
  const isPreviewed = state.preview !== null && chosenOf(state)?.id === state.preview.id;
  const preview = isPreviewed ? wrapText(state.preview?.text ?? '', { isTTY: true, columns: width }).split('\n') : [];
  const room = Math.max(0, height - listHeight - 3);
  const list = [...rows, ...(rows.length === 0 ? [clip(`  ${sayEmpty(state)}`, width)] : [])];
  const typed = fitEnd(state.query, width - QUERY_ROOM);
  const count = state.found ? `${hits.length} of ${state.found.total}` : '';
  const lines = [
    `${paint('bold', '>')} ${fit(typed, width - QUERY_ROOM)}${paint('dim', fit(count, QUERY_ROOM - 2, true))}`,
    ...fill(list, listHeight),
    paint('dim', '─'.repeat(width)),
    ...fill(preview, room).map((line) => highlight(clip(line, width))),
    paint('dim', clip('Enter: print  Ctrl-Y: copy  ↑↓: choose  Ctrl-U: clear  Esc: leave', width)),
  ];
  return { lines, column: Bun.stringWidth(typed) + 3 };
}

const QUERY_ROOM = 16;

function sayEmpty({ found, problem }: State): string {
  if (problem !== null) return plainLine(problem, 200);
  if (found === null) return 'Looking …';
  return found.note ? plainLine(found.note, 200) : 'Nothing found. Try other words.';
}

/** The end of a long query is what is being typed. */
function fitEnd(query: string, width: number): string {
  const letters = [...query];
  while (Bun.stringWidth(letters.join('')) > width) letters.shift();
  return letters.join('');
}

const fill = (lines: string[], height: number) => Array.from({ length: height }, (_, at) => lines[at] ?? '');

const ENTER = '\x1b[?1049h\x1b[?2004h';
const LEAVE = '\x1b[?2004l\x1b[?1049l\x1b[?25h';
/** Those that end us; the terminal must not stay as it is. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** The terminal is ours until `close`, however the process ends, and while it is stopped it is the person's. */
function openScreen(drawPicture: () => Picture) {
  const stdin = process.stdin;
  const stderr = process.stderr;
  let isOurs = false;
  // What was looked up may come when the terminal is the person's again.
  const refresh = () => {
    if (!isOurs) return;
    const { lines, column } = drawPicture();
    stderr.write(`\x1b[?25l\x1b[H${lines.map((line) => `${line}\x1b[K`).join('\r\n')}\x1b[J\x1b[1;${column}H\x1b[?25h`);
  };
  const enter = () => {
    stdin.setRawMode(true);
    isOurs = true;
    stderr.write(ENTER);
    refresh();
  };
  const leave = () => {
    isOurs = false;
    stderr.write(LEAVE);
    stdin.setRawMode(false);
  };
  const end = (signal: NodeJS.Signals) => {
    close();
    process.kill(process.pid, signal);
  };
  const suspend = () => {
    leave();
    process.kill(process.pid, 'SIGSTOP');
  };
  const close = () => {
    for (const signal of SIGNALS) process.off(signal, end);
    process.off('SIGTSTP', suspend);
    process.off('SIGCONT', enter);
    process.off('SIGWINCH', refresh);
    process.off('exit', leave);
    leave();
    stdin.pause();
  };
  process.getBuiltinModule('node:readline').emitKeypressEvents(stdin);
  for (const signal of SIGNALS) process.on(signal, end);
  process.on('SIGTSTP', suspend);
  process.on('SIGCONT', enter);
  process.on('SIGWINCH', refresh);
  process.on('exit', leave);
  enter();
  stdin.resume();
  return { refresh, close };
}
