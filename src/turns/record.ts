// The record of a turn: what was asked, said, run, edited and decided, in the order it happened. As steps, and as the plain text that is stored.

export type TodoItem = { text: string; status: 'pending' | 'in_progress' | 'completed' | 'deleted' };

export type Step =
  | { kind: 'said'; text: string }
  /** isOk: null while it runs in the background, or where nobody told. */
  | { kind: 'ran'; command: string; isOk: boolean | null; output: string }
  /** One edit. The last one of a file holds what the turn changed in it as a whole, as lines of a diff. */
  | { kind: 'edited'; file: string; isNew: boolean; added: number; removed: number; diff: string }
  | { kind: 'read'; file: string }
  | { kind: 'searched'; query: string }
  | { kind: 'asked'; question: string; options: string[]; answer: string }
  | { kind: 'planned'; text: string; isApproved: boolean; feedback: string }
  /** A tool that the user did not allow, and what they said instead. */
  | { kind: 'refused'; tool: string; what: string; feedback: string }
  | { kind: 'todo'; items: TodoItem[] }
  | { kind: 'committed'; hash: string; message: string }
  /** Words from outside: only where they came from is kept. */
  | { kind: 'web'; source: string }
  | { kind: 'mcp'; source: string }
  /** Of another agent's work only its report. */
  | { kind: 'agent'; task: string; report: string };

/** Without its prompt, which has a row of its own. */
export type TurnRecord = {
  steps: Step[];
  /** The agent's last message, whole. */
  closing: string;
};

const MARK = '── ';
const DETAILS = '══ details';

/**
 * Plain text, so that a byte search of the data dir finds what is in it. What search reads comes first; output and diffs follow below a mark,
 * each under the number of its step.
 */
export function writeRecord({ steps, closing }: TurnRecord): string {
  const details: string[] = [];
  const main: string[] = [];
  for (const [at, step] of steps.entries()) {
    const { title, body, detail } = writeStep(step);
    main.push(section(step.kind, title, body));
    if (detail !== '') details.push(section(String(at), '', detail));
  }
  if (closing !== '') main.push(section('closing', '', closing));
  return [...main, ...(details.length > 0 ? [DETAILS, ...details] : [])].join('\n');
}

/** The part that search reads: in SQL it is cut off at the same mark (store/migrations/008-turns.ts). */
export const searchable = (text: string): string => text.split(`\n${DETAILS}`, 1)[0] ?? text;

function section(kind: string, title: string, body: string): string {
  const head = `${MARK}${kind}${title === '' ? '' : ` ${oneLine(title)}`}`;
  return body === '' ? head : `${head}\n${moveIn(body, LIKE_MARK)}`;
}

/** A line of the text that looks like a mark is moved in by a blank, so that it begins no step; reading takes that blank away again. */
const LIKE_MARK = '(?:── |══ )';
const LIKE_ANSWER = '→ ';
const moveIn = (text: string, mark: string) => text.replace(new RegExp(`^(?= *${mark})`, 'gm'), ' ');
const moveOut = (text: string, mark: string) => text.replace(new RegExp(`^ (?= *${mark})`, 'gm'), '');

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

type Written = { title: string; body: string; detail: string };

function writeStep(step: Step): Written {
  const plain = { title: '', body: '', detail: '' };
  switch (step.kind) {
    case 'said':
      return { ...plain, body: step.text };
    case 'ran':
      return {
        title: step.isOk === null ? 'unknown' : step.isOk ? 'ok' : 'failed',
        body: step.command,
        detail: step.output,
      };
    case 'edited':
      return {
        ...plain,
        title: `${step.isNew ? 'new ' : ''}+${step.added} -${step.removed} ${step.file}`,
        detail: step.diff,
      };
    case 'read':
      return { ...plain, title: step.file };
    case 'searched':
      return { ...plain, title: step.query };
    case 'asked':
      return {
        ...plain,
        title: step.question,
        body: [...step.options.map((one) => `- ${oneLine(one)}`), `→ ${step.answer}`].join('\n'),
      };
    case 'planned':
      return { ...plain, title: step.isApproved ? 'approved' : 'refused', body: withAnswer(step.text, step.feedback) };
    case 'refused':
      return { ...plain, title: step.tool, body: withAnswer(step.what, step.feedback) };
    case 'todo':
      return {
        ...plain,
        body: step.items.map(({ status, text }) => `[${SIGN_OF[status]}] ${oneLine(text)}`).join('\n'),
      };
    case 'committed':
      return { ...plain, title: step.hash, body: step.message };
    case 'web':
    case 'mcp':
      return { ...plain, title: step.source };
    case 'agent':
      return { ...plain, title: step.task, body: step.report };
  }
}

const withAnswer = (text: string, answer: string) =>
  `${moveIn(text, LIKE_ANSWER)}${answer === '' ? '' : `\n→ ${answer}`}`;

const SIGN_OF: Record<TodoItem['status'], string> = { pending: ' ', in_progress: '~', completed: 'x', deleted: '-' };
const STATUS_OF = new Map(Object.entries(SIGN_OF).map(([status, sign]) => [sign, status as TodoItem['status']]));

/** The way back. What is no record is a closing message of its own. */
export function readRecord(text: string): TurnRecord {
  const [main = '', rest = ''] = split(text);
  const details = new Map(sectionsOf(rest).map(({ kind, body }) => [Number(kind), body]));
  const record: TurnRecord = { steps: [], closing: '' };
  const sections = sectionsOf(main);
  if (sections.length === 0) return { steps: [], closing: main };
  for (const [at, { kind, title, body }] of sections.entries()) {
    const step = kind === 'closing' ? null : readStep(kind, title, body, details.get(at) ?? '');
    if (kind === 'closing') record.closing = body;
    if (step) record.steps.push(step);
  }
  return record;
}

const split = (text: string) => {
  const at = text.indexOf(`\n${DETAILS}`);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + DETAILS.length + 1)];
};

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

function readStep(kind: string, title: string, body: string, detail: string): Step | null {
  switch (kind) {
    case 'said':
      return { kind, text: body };
    case 'ran':
      return { kind, command: body, isOk: title === 'unknown' ? null : title === 'ok', output: detail };
    case 'edited': {
      const [, isNew, added = '0', removed = '0', file = ''] = /^(new )?\+(\d+) -(\d+) ?(.*)$/.exec(title) ?? [];
      return { kind, file, isNew: isNew !== undefined, added: Number(added), removed: Number(removed), diff: detail };
    }
    case 'read':
      return { kind, file: title };
    case 'searched':
      return { kind, query: title };
    case 'asked': {
      const { text, answer } = splitAnswer(body);
      const options = text.split('\n').flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : []));
      return { kind, question: title, options, answer };
    }
    case 'planned': {
      const { text, answer } = splitAnswer(body);
      return { kind, text, isApproved: title === 'approved', feedback: answer };
    }
    case 'refused': {
      const { text, answer } = splitAnswer(body);
      return { kind, tool: title, what: text, feedback: answer };
    }
    case 'todo':
      return { kind, items: body.split('\n').flatMap(readTodo) };
    case 'committed':
      return { kind, hash: title, message: body };
    case 'web':
    case 'mcp':
      return { kind, source: title };
    case 'agent':
      return { kind, task: title, report: body };
    default:
      return null;
  }
}

/** At the first line that begins with an arrow: those of the text are moved in. */
function splitAnswer(body: string): { text: string; answer: string } {
  const at = /^→ /m.exec(body)?.index ?? -1;
  if (at < 0) return { text: moveOut(body, LIKE_ANSWER), answer: '' };
  return { text: moveOut(body.slice(0, Math.max(0, at - 1)), LIKE_ANSWER), answer: body.slice(at + 2) };
}

function readTodo(line: string): TodoItem[] {
  const [, sign = '', text = ''] = /^\[(.)\] (.*)$/.exec(line) ?? [];
  const status = STATUS_OF.get(sign);
  return status ? [{ status, text }] : [];
}
