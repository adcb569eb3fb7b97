// What a session said, sentence by sentence, each with the memory it can be looked up in.
import { bareWords } from '../core/bare-words.ts';
import type { MemoryRef, ReplacedBy } from '../core/memory.ts';
import { PLAN_APPROVED } from '../core/observation.ts';
import { splitSentences } from '../core/sentences.ts';
import type { SessionMemories } from '../store/sessions/session-memories.ts';

export type Sentence = {
  text: string;
  ref: MemoryRef;
  turn: number;
  at: number;
  /** decided: a decision. found: what another observation says. summed-up: of a summary. asked: of a prompt alone. */
  kind: 'decided' | 'found' | 'summed-up' | 'asked';
  isUser: boolean;
  /** What the user answered to it: to what the agent said in this turn. */
  answer: Answer;
  /** Not to be told, or not alone: this stands in its place, or may do so. */
  replacedBy: ReplacedBy | null;
};
export type Answer = 'agreed' | 'objected' | null;

/** What is longer is a page, not a sentence. */
const LONGEST = 900;
const SHORTEST = 8;
const MOST = 600;

/** In the order in which they were said; each once, under the memory that says it best. With what was replaced since, to see that. */
export function listSentences(memories: SessionMemories): Sentence[] {
  const answers = readAnswers(memories);
  const all = [...listTold(memories), ...listReplaced(memories)];
  return all.map((sentence) => ({
    ...sentence,
    answer: sentence.isUser ? null : (answers.get(sentence.turn) ?? null),
  }));
}

const AGREES =
  /^(?:(?:yes|yep|yeah|ok(?:ay)?|right|exactly|correct|perfect|great|good|agreed|sounds good|looks good|that['’]?s (?:it|the one|right|correct|exactly|the (?:rule|policy|way))|ship it|go ahead|all unchanged|approved|thanks)\b)/i;
const OBJECTS =
  /^(?:no\b|not\b|nope|neither|wrong|wait|stop|hold on|careful|actually|that['’]?s (?:only half|not|exactly the wrong|wrong)|it['’]?s not|that (?:won['’]?t|doesn['’]?t|isn['’]?t)|we (?:already )?tried|don['’]?t|do not|never|keep it and|only on)\b/i;

/** By the turn that was answered: the next prompt says whether the user was content. */
function readAnswers({ prompts }: SessionMemories): Map<number, Answer> {
  return new Map(
    prompts.map(({ turn, text }) => {
      const said = text.trim();
      return [turn - 1, OBJECTS.test(said) ? 'objected' : AGREES.test(said) ? 'agreed' : null];
    }),
  );
}

const listReplaced = ({ replaced }: SessionMemories): Sentence[] =>
  replaced.flatMap(({ id, turn, at, texts, replacedBy }) =>
    texts
      .flatMap((text) => splitSentences(text))
      .map((text) => ({
        text,
        ref: { kind: 'observation', id },
        turn,
        at,
        kind: 'decided',
        isUser: false,
        answer: null,
        replacedBy,
      })),
  );

function listTold(memories: SessionMemories): Sentence[] {
  const all = [...fromObservations(memories), ...fromPrompts(memories), ...fromSummaries(memories)];
  const untold = memories.untold.map(bareWords);
  const seen = new Map<string, Sentence>();
  for (const sentence of all) {
    const bare = bareWords(sentence.text);
    if (bare.length < SHORTEST || sentence.text.length > LONGEST || untold.some((words) => words.includes(bare)))
      continue;
    const known = seen.get(bare);
    if (known) known.isUser ||= sentence.isUser;
    else seen.set(bare, sentence);
  }
  return withoutBeginnings([...seen])
    .sort((one, other) => one.turn - other.turn)
    .slice(-MOST);
}

/** A title is the beginning of what it is the title of. */
function withoutBeginnings(said: [string, Sentence][]): Sentence[] {
  return said
    .filter(
      ([bare, { ref }]) =>
        !said.some(([other, sentence]) => sentence.ref === ref && other !== bare && other.includes(bare)),
    )
    .map(([, sentence]) => sentence);
}

function fromObservations({ observations }: SessionMemories): Sentence[] {
  const kept = observations.filter(({ outcome }) => outcome !== 'ruled-out');
  return kept.flatMap(({ id, turn, at, type, origin, title, narrative, facts }) => {
    const isUser = origin === 'user' && !title?.startsWith(PLAN_APPROVED);
    const place = { ref: { kind: 'observation' as const, id }, turn, at, answer: null, replacedBy: null };
    const kind = type === 'decision' ? 'decided' : 'found';
    const stated = [...(title ? [title] : []), ...facts.filter(isStated)].map((text): Sentence => {
      const said = SAID.exec(text)?.[1];
      return { ...place, text: said ?? text, kind, isUser: isUser || said !== undefined };
    });
    // What a user said around a rule is not the rule.
    const around = splitSentences(narrative ?? '').map(
      (text): Sentence => ({ ...place, text, kind: isUser ? 'asked' : kind, isUser }),
    );
    return [...stated, ...around];
  });
}

const SAID = /^The user said: (.+)$/s;
/** Told on a line of its own. */
const isStated = (fact: string) => !/^(?:Rejected|Why): /.test(fact);

const fromPrompts = ({ prompts }: SessionMemories): Sentence[] =>
  prompts.flatMap(({ id, turn, at, text }) =>
    splitSentences(text.slice(0, PROMPT_READ).replace(/```.*?(?:```|$)/gs, ' ')).map((sentence) => ({
      text: sentence,
      ref: { kind: 'prompt' as const, id },
      turn,
      at,
      kind: 'asked' as const,
      isUser: true,
      answer: null,
      replacedBy: null,
    })),
  );

/** A log may be pasted: its end says nothing that was decided. */
const PROMPT_READ = 6000;

const fromSummaries = ({ summaries }: SessionMemories): Sentence[] =>
  summaries.flatMap(({ id, turn, at, learned, completed }) =>
    [learned, completed]
      .flatMap((text) => splitSentences(text ?? ''))
      .map((text) => ({
        text,
        ref: { kind: 'summary' as const, id },
        turn,
        at,
        kind: 'summed-up' as const,
        isUser: false,
        answer: null,
        replacedBy: null,
      })),
  );
