// A command that was called wrongly and then rightly: a flag it does not know, a name that is not there. Whoever calls it next need not try.
import type { ObservationDraft } from '../../core/observation.ts';
import { checkOf } from './commands/check-kind.ts';
import type { PlacedCommand } from './commands/place.ts';
import { conceptsFor } from './concepts.ts';
import { fact, makeDraft } from './draft.ts';
import { newSteps, type Step, type Turn } from './turn.ts';

const KEPT = 2;

/** Only where the same program then worked without anything being changed in between: else it was work, not a misuse. */
export function observeMisuse(turn: Turn): ObservationDraft[] {
  const steps = newSteps(turn);
  const told = new Map<string, ObservationDraft>();
  for (const step of steps) {
    const wrong = readMisuse(step);
    const right = wrong ? findRight(steps, step, wrong) : null;
    if (wrong && right && !told.has(wrong.says)) told.set(wrong.says, misuseDraft(steps, wrong, right));
  }
  return [...told.values()].slice(0, KEPT);
}

type Misuse = { step: Step; command: PlacedCommand; says: string; flag: string | null };

const LINES_READ = 3;
const LINE_LENGTH = 160;

/** What a program says first, when it was called wrongly. */
const UNKNOWN =
  /\b(?:unknown|unrecogni[sz]ed|invalid|illegal|bad|unexpected)(?: (?:command[- ]line|shorthand|long))? (?:options?|flags?|arguments?|subcommand)\b|\bflag provided but not defined\b|\bwhich wasn['’]t expected\b/i;
const NOT_THERE = /: (?:command )?not found$|: No such file or directory$|^usage: \S/i;

function readMisuse(step: Step): Misuse | null {
  const { run, event } = step;
  if (!run || run.tests || (event.action.type === 'command' && event.action.background)) return null;
  const first = run.output.split('\n', 40).filter((line) => line.trim() !== '');
  const says = first.slice(0, LINES_READ).find((line) => line.length <= LINE_LENGTH && isTelling(line, first, step));
  if (!says) return null;
  const flag = /(?:^|[\s'"`:])(--?[a-z][\w-]*)/i.exec(says)?.[1] ?? null;
  const asked = run.commands.filter((one) => checkOf(one) !== null);
  const command = asked.find(({ args }) => flag !== null && args.some((arg) => isFlag(arg, flag))) ?? asked[0];
  // What nobody passed was not misused by this call.
  if (
    !command ||
    command.local ||
    (UNKNOWN.test(says) && flag !== null && !command.args.some((arg) => isFlag(arg, flag)))
  )
    return null;
  return { step, command, says: says.trim(), flag: UNKNOWN.test(says) ? flag : null };
}

/** An error that its exit code tells is followed elsewhere; here is what `| head` and `|| true` hide. */
function isTelling(line: string, all: string[], { event }: Step): boolean {
  if (UNKNOWN.test(line)) return true;
  return (
    NOT_THERE.test(line.trim()) && event.error === null && (all.length <= LINES_READ || /^usage: /i.test(all[0] ?? ''))
  );
}

const isFlag = (arg: string, flag: string) => arg === flag || arg.startsWith(`${flag}=`);

type Right = { step: Step; command: PlacedCommand };

function findRight(steps: Step[], wrong: Step, misuse: Misuse): Right | null {
  for (const step of steps) {
    if (step.index <= wrong.index) continue;
    if (step.edits.length + step.packages.length > 0) return null;
    const command = step.run?.commands.find((one) => isSameCall(one, misuse));
    if (command && isWell(step)) return { step, command };
  }
  return null;
}

/** The same program on the same things, called in another way. */
function isSameCall(command: PlacedCommand, { command: wrong, flag }: Misuse): boolean {
  if (command.program !== wrong.program || checkOf(command) === null) return false;
  if (command.args.join(' ') === wrong.args.join(' ')) return false;
  if (flag !== null) return !command.args.some((arg) => isFlag(arg, flag)) && wordsOf(command)[0] === wordsOf(wrong)[0];
  return wordsOf(wrong).some((word) => wordsOf(command).some((other) => baseOf(other) === baseOf(word)));
}

const wordsOf = ({ args }: PlacedCommand) => args.filter((arg) => !arg.startsWith('-'));
const baseOf = (word: string) => word.split('/').at(-1);

function isWell({ run, event }: Step): boolean {
  if (!run || run.failed || event.error !== null || run.output.trim() === '') return false;
  if (event.action.type === 'command' && event.action.background) return false;
  const first = run.output.split('\n', 5).join('\n');
  return !UNKNOWN.test(first) && !/: (?:command )?not found$|No such file or directory|^usage: /im.test(first);
}

function misuseDraft(steps: Step[], { step, command, says, flag }: Misuse, right: Right): ObservationDraft {
  const called = quoted(command);
  const more = right.command.args.filter((arg) => !command.args.includes(arg)).join(' ');
  const instead = flag !== null && more === '' ? 'it works without' : `\`${clipped(more)}\` worked instead`;
  const bare = says.replace(/^(?:\S+: )?error:\s*/i, '').replace(/[.\s]+$/, '');
  const hung = findHung(steps, step, command.program);
  return makeDraft({
    type: 'discovery',
    title: `\`${command.program}\`: ${bare}; ${flag === null ? `${quoted(right.command)} works` : instead}`,
    facts: [
      fact(`${called} fails: ${bare}.`, step.id),
      fact(`${quoted(right.command)} works.`, right.step.id),
      ...(hung ? [fact(`${quoted(hung.command)} gave no answer and was stopped.`, hung.step.id)] : []),
    ],
    concepts: conceptsFor('discovery', [], 'gotcha'),
    origin: 'command',
    at: right.step.time,
  });
}

/** A call of it that somebody had to end. */
function findHung(steps: Step[], wrong: Step, program: string): { step: Step; command: PlacedCommand } | null {
  const killed = steps.findLast((step) => step.index < wrong.index && ENDS.test(String(step.event.tool)));
  const step = steps.findLast(
    (one) => killed && one.index < killed.index && one.event.action.type === 'command' && one.event.action.background,
  );
  const command = step?.run?.commands.find((one) => one.program === program);
  return step && command ? { step, command } : null;
}

const ENDS = /^(?:KillShell|KillBash|TaskStop)$/;

const SHOWN = 120;
const clipped = (text: string) => (text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`).replaceAll('`', "'");
const quoted = ({ program, args }: PlacedCommand) =>
  `\`${clipped([program, ...args].join(' ').replace(/\s+/g, ' '))}\``;
