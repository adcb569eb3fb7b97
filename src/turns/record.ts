// The record of a turn: what was asked, said, run, edited and decided, in the order it happened. As steps, and as the
// plain text that is stored.
import { isFetch } from '../core/fetch.ts';

export type TodoItem = { text: string; status: 'pending' | 'in_progress' | 'completed' | 'deleted' };

export type Step =
  | { kind: 'said'; text: string }
  /** isOk: null while it runs in the background, or where nobody told. isForeign: it showed files of somebody else's repository. */
  | { kind: 'ran'; command: string; isOk: boolean | null; output: string; isForeign?: true }
  /** One edit. The last one of a file holds what the turn changed in it as a whole, as lines of a diff. */
  | { kind: 'edited'; file: string; isNew: boolean; added: number; removed: number; diff: string }
  | { kind: 'read'; file: string; isForeign?: true }
  | { kind: 'searched'; query: string; isForeign?: true }
  | { kind: 'asked'; question: string; options: string[]; answer: string }
  | { kind: 'planned'; text: string; isApproved: boolean; feedback: string }
  /** A tool that the user did not allow, and what they said instead. */
  | { kind: 'refused'; tool: string; what: string; feedback: string }
  | { kind: 'todo'; items: TodoItem[] }
  | { kind: 'committed'; hash: string; message: string }
  /** Words from outside: only where they came from is kept. */
  | { kind: 'web'; source: string }
  | { kind: 'mcp'; source: string }
  /** The user stopped the agent: nothing says that it was done. */
  | { kind: 'interrupted' }
  /** Of another agent's work only its report. */
  | { kind: 'agent'; task: string; report: string };

/** Without its prompt, which has a row of its own. */
export type TurnRecord = {
  steps: Step[];
  /** The agent's last message, whole. */
  closing: string;
  /**
   * Of a turn with words from outside: which of its words nothing bears out that was asked, shown or done here. Much of that is gone
   * later, and a rebuild must judge as was judged then. Without it nothing came from outside, or nobody judged it.
   */
  unshown?: string[];
};

const MARK = '── ';
const DETAILS = '══ details';
const UNSHOWN = 'unshown';

/**
 * Plain text, so that a byte search of the data dir finds what is in it. What search reads comes first; output and
 * diffs follow below a mark, each under the number of its step.
 */
export function writeRecord({ steps, closing, unshown }: TurnRecord): string {
  const details: string[] = [];
  const main: string[] = [];
  for (const [at, step] of steps.entries()) {
    const { title, body, detail } = writeStep(step);
    main.push(section(step.kind, title, body));
    if (detail !== '') details.push(section(String(at), '', detail));
  }
  if (closing !== '') main.push(section('closing', '', closing));
  if (unshown) details.push(section(UNSHOWN, '', unshown.join(' ')));
  return [...main, ...(details.length > 0 ? [DETAILS, ...details] : [])].join('\n');
}

/** `detail`: what search does not read. */
export function writeStep(step: Step): { title: string; body: string; detail: string } {
  return { title: '', body: '', detail: '', ...codecOf(step).write(step) };
}

/** The part that search reads: in SQL it is cut off at the same mark (store/migrations/019-since-0.1.0.sql). */
export const searchable = (text: string): string => text.split(`\n${DETAILS}`, 1)[0] ?? text;

/** A line of the text that looks like a mark is moved in by a blank, so that it begins no step; reading takes that blank away again. */
const LIKE_MARK = '(?:── |══ )';
const LIKE_ANSWER = '→ ';
const moveIn = (text: string, mark: string) => text.replace(new RegExp(`^(?= *${mark})`, 'gm'), ' ');
const moveOut = (text: string, mark: string) => text.replace(new RegExp(`^ (?= *${mark})`, 'gm'), '');

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

function section(kind: string, title: string, body: string): string {
  const head = `${MARK}${kind}${title === '' ? '' : ` ${oneLine(title)}`}`;
  return body === '' ? head : `${head}\n${moveIn(body, LIKE_MARK)}`;
}

/** The way back. What is no record is a closing message of its own. */
export function readRecord(text: string): TurnRecord {
  const main = searchable(text);
  const rest = text.slice(main.length + DETAILS.length + 1);
  const details = new Map(sectionsOf(rest).map(({ kind, body }) => [kind, body]));
  const sections = sectionsOf(main);
  if (sections.length === 0) return { steps: [], closing: main };
  const steps = sections.flatMap(({ kind, title, body }, at) => {
    // Its kind and its fields are those that were written.
    return Object.hasOwn(CODECS, kind) ? [{ kind, ...CODECS[kind as Kind].read(title, body, details.get(String(at)) ?? '') } as Step] : [];
  });
  const unshown = details.get(UNSHOWN)?.split(' ').filter(Boolean);
  return { steps, closing: sections.findLast(({ kind }) => kind === 'closing')?.body ?? '', ...(unshown && { unshown }) };
}

type Section = { kind: string; title: string; body: string };

function sectionsOf(text: string): Section[] {
  return text
    .split(/^── /m)
    .slice(1)
    .map((part, at, all) => {
      // The line end before the next mark is none of the text.
      const own = at < all.length - 1 ? part.replace(/\n$/, '') : part;
      const [head = '', ...lines] = own.split('\n');
      const [kind = '', ...words] = head.split(' ');
      return { kind, title: words.join(' '), body: moveOut(lines.join('\n'), LIKE_MARK) };
    });
}

type Kind = Step['kind'];
type StepOf<K extends Kind> = Extract<Step, { kind: K }>;

type Codec<One extends Step> = {
  write: (step: One) => { title?: string; body?: string; detail?: string };
  read: (title: string, body: string, detail: string) => Omit<One, 'kind'>;
  /** The fields that may be cut, or judged by what they say. */
  texts: Exclude<keyof One, 'kind'>[];
};

const FOREIGN = 'foreign';
const THEIRS = { isForeign: true } as const;
const source = { write: (step: { source: string }) => ({ title: step.source }), read: (title: string) => ({ source: title }) };

const CODECS: { [K in Kind]: Codec<StepOf<K>> } = {
  said: { write: ({ text }) => ({ body: text }), read: (_, body) => ({ text: body }), texts: ['text'] },
  ran: {
    write: ({ isOk, command, output, isForeign }) => ({
      title: `${isOk === null ? 'unknown' : isOk ? 'ok' : 'failed'}${isForeign ? ` ${FOREIGN}` : ''}`,
      body: command,
      detail: output,
    }),
    read: (title, command, output) => {
      const [end = '', foreign] = title.split(' ');
      return { command, isOk: end === 'unknown' ? null : end === 'ok', output, ...(foreign && THEIRS) };
    },
    texts: ['command', 'output'],
  },
  edited: {
    write: ({ isNew, added, removed, file, diff }) => ({ title: `${isNew ? 'new ' : ''}+${added} -${removed} ${file}`, detail: diff }),
    read: (title, _, diff) => {
      const [, isNew, added = '0', removed = '0', file = ''] = /^(new )?\+(\d+) -(\d+) ?(.*)$/.exec(title) ?? [];
      return { file, isNew: isNew !== undefined, added: Number(added), removed: Number(removed), diff };
    },
    texts: ['diff'],
  },
  read: {
    write: ({ file, isForeign }) => ({ title: file, body: isForeign ? FOREIGN : '' }),
    read: (file, body) => ({ file, ...(body !== '' && THEIRS) }),
    texts: ['file'],
  },
  searched: {
    write: ({ query, isForeign }) => ({ title: query, body: isForeign ? FOREIGN : '' }),
    read: (query, body) => ({ query, ...(body !== '' && THEIRS) }),
    texts: ['query'],
  },
  asked: {
    write: ({ question, options, answer }) => ({
      title: question,
      body: [...options.map((one) => `- ${oneLine(one)}`), `→ ${answer}`].join('\n'),
    }),
    read: (question, body) => {
      const [text, answer] = splitAnswer(body);
      return { question, options: text.split('\n').flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : [])), answer };
    },
    texts: ['options', 'question', 'answer'],
  },
  planned: {
    write: ({ isApproved, text, feedback }) => ({ title: isApproved ? 'approved' : 'refused', body: withAnswer(text, feedback) }),
    read: (title, body) => {
      const [text, feedback] = splitAnswer(body);
      return { text, isApproved: title === 'approved', feedback };
    },
    texts: ['text', 'feedback'],
  },
  refused: {
    write: ({ tool, what, feedback }) => ({ title: tool, body: withAnswer(what, feedback) }),
    read: (tool, body) => {
      const [what, feedback] = splitAnswer(body);
      return { tool, what, feedback };
    },
    texts: ['what', 'feedback'],
  },
  interrupted: { write: () => ({}), read: () => ({}), texts: [] },
  todo: {
    write: ({ items }) => ({ body: items.map(({ status, text }) => `[${SIGN_OF[status]}] ${oneLine(text)}`).join('\n') }),
    read: (_, body) => ({ items: body.split('\n').flatMap(readTodo) }),
    texts: ['items'],
  },
  committed: {
    write: ({ hash, message }) => ({ title: hash, body: message }),
    read: (hash, message) => ({ hash, message }),
    texts: ['message'],
  },
  web: { ...source, texts: ['source'] },
  mcp: { ...source, texts: ['source'] },
  agent: {
    write: ({ task, report }) => ({ title: task, body: report }),
    read: (task, report) => ({ task, report }),
    texts: ['task', 'report'],
  },
};

// Each takes the steps of its own kind.
const codecOf = (step: Step) => CODECS[step.kind] as unknown as Codec<Step>;

const withAnswer = (text: string, answer: string) => `${moveIn(text, LIKE_ANSWER)}${answer === '' ? '' : `\n→ ${answer}`}`;

/** The text and the answer: from the first line that begins with an arrow, since those of the text are moved in. */
function splitAnswer(body: string): [string, string] {
  const at = /^→ /m.exec(body)?.index ?? -1;
  if (at < 0) return [moveOut(body, LIKE_ANSWER), ''];
  return [moveOut(body.slice(0, Math.max(0, at - 1)), LIKE_ANSWER), body.slice(at + 2)];
}

const SIGN_OF: Record<TodoItem['status'], string> = { pending: ' ', in_progress: '~', completed: 'x', deleted: '-' };
const STATUS_OF = new Map(Object.entries(SIGN_OF).map(([status, sign]) => [sign, status as TodoItem['status']]));

function readTodo(line: string): TodoItem[] {
  const [, sign = '', text = ''] = /^\[(.)\] (.*)$/.exec(line) ?? [];
  const status = STATUS_OF.get(sign);
  return status ? [{ status, text }] : [];
}

/** Every text of a step through a function. */
export function mapTexts(step: Step, change: (text: string) => string): Step {
  const map = (value: unknown): unknown => {
    if (typeof value === 'string') return change(value);
    return Array.isArray(value) ? value.map(map) : { ...(value as TodoItem), text: change((value as TodoItem).text) };
  };
  const texts = codecOf(step).texts.map((field) => [field, map(Reflect.get(step, field))]);
  // The same fields with other texts: it is the same kind of step.
  return { ...step, ...Object.fromEntries(texts) } as Step;
}

export function textsOf(step: Step): string[] {
  const texts: string[] = [];
  mapTexts(step, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

// Which words of a turn may be somebody else's: the agent's right after it read a page or a foreign repository, fetched one or asked a
// foreign tool, up to its next own deed.

const OWN_DEEDS = new Set<Kind>(['ran', 'edited', 'committed', 'asked']);

/** Whether what was said at this step (or, behind the last, at the end) may repeat words from outside. */
export function isUntrustedAt(steps: readonly Step[], at: number): boolean {
  const last = steps.slice(0, Math.max(0, at)).findLast((step) => isFromOutside(step) || OWN_DEEDS.has(step.kind));
  return last !== undefined && isFromOutside(last);
}

export const isFromOutside = (step: Step): boolean =>
  step.kind === 'web' ||
  step.kind === 'mcp' ||
  ('isForeign' in step && step.isForeign === true) ||
  (step.kind === 'ran' && isFetch(step.command));

const MOST_BYTES = 64 * 1024;
/** What is shorter is never cut. */
const SHORTEST = 400;
/** Room for what says that something was left out. */
const MARK_BYTES = 60;

/** Within its size: of the longest texts the middle goes, with a mark. */
export function fitRecord(record: TurnRecord): TurnRecord {
  let fitted = record;
  let limit = Math.max(record.closing.length, ...record.steps.flatMap(textsOf).map(({ length }) => length));
  while (!fits(fitted) && limit > SHORTEST) {
    limit = Math.max(SHORTEST, Math.floor(limit * 0.9));
    const cut = (text: string) => cutMiddle(text, limit);
    fitted = { ...record, steps: record.steps.map((step) => mapTexts(step, cut)), closing: cut(record.closing) };
  }
  return fits(fitted) ? fitted : dropMiddle(fitted);
}

const fits = (record: TurnRecord, most = MOST_BYTES) => Buffer.byteLength(writeRecord(record)) <= most;

function cutMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${left} characters left out …]\n${text.slice(-half)}`.toWellFormed();
}

/** Thousands of short steps: the first and the last of them stay. */
function dropMiddle(record: TurnRecord): TurnRecord {
  const { steps } = record;
  let kept = steps;
  while (kept.length > 0 && !fits({ ...record, steps: kept }, MOST_BYTES - MARK_BYTES)) {
    const end = Math.floor(kept.length * 0.45);
    kept = [...kept.slice(0, end), ...kept.slice(kept.length - end)];
  }
  return withGap({ ...record, steps: kept }, steps.length - kept.length);
}

const GAP = 'steps left out …]';
export const hasGap = (record: string): boolean => record.includes(GAP);

/** Says in the middle, where they stood, how many steps are not there. */
export function withGap(record: TurnRecord, left: number): TurnRecord {
  if (left === 0) return record;
  const { steps } = record;
  return { ...record, steps: steps.toSpliced(Math.floor(steps.length / 2), 0, { kind: 'said', text: `[… ${left} ${GAP}` }) };
}
