// A long session costs a small fraction of today's product, and what matters in it is still there.
import { describe, expect, test } from 'bun:test';
import { makeNeedleSession, type NeedlePayload, type NeedleTurn } from '../../bench/observer/needle-session.ts';
import { claudeCode } from '../../src/agents/claude-code/agent.ts';
import type { SessionEvent } from '../../src/core/event.ts';
import { TURN_TOKENS } from '../../src/core/models.ts';
import { encodeObserved } from '../../src/core/plain-line.ts';
import { estimateTokens } from '../../src/core/text.ts';
import { loadMode, writeInstructions } from '../../src/model/instructions.ts';
import { type Question, writeQuestion } from '../../src/model/question.ts';

const OPTIONS = { mode: loadMode('code', null), verbosity: 'normal', language: null } as const;
const SEEDS = Array.from({ length: 20 }, (_, at) => at + 1);
/** What the system that users have today sends for such a session is 13.2 million: this is less than a hundredth. */
const MOST_CHARS = 110_000;

function toEvent(payload: NeedlePayload, id: string): SessionEvent {
  const parsed = claudeCode.parseHook({ id, command: 'save', payload, receivedAt: 1000 });
  if (parsed.kind !== 'event') throw new Error(`no event: ${parsed.kind}`);
  return parsed.event;
}

const eventsOf = ({ prompt, tools, stop }: NeedleTurn, turn: number) =>
  [prompt, ...tools.map(({ payload }) => payload), stop].map((payload, at) => toEvent(payload, `e${turn}-${at}`));

function askAll(seed: number): { questions: Question[]; session: ReturnType<typeof makeNeedleSession> } {
  const session = makeNeedleSession(seed);
  const recorded: string[] = [];
  const questions = session.turns.map((turn, at) => {
    const before = session.turns[at - 1]?.stop.last_assistant_message;
    const written = writeQuestion(
      {
        batch: {
          project: { name: 'shop', root: '/home/dev/shop' },
          session: { firstPrompt: session.prompts[0] ?? null, title: null },
          events: eventsOf(turn, at),
          earlier: [],
        },
        recorded: [...recorded],
        earlierPrompts: session.prompts.slice(0, at),
        previousMessage: typeof before === 'string' ? before : null,
        next: session.prompts[at + 1] ?? null,
        decisions: [],
        steps: [],
      },
      { ...OPTIONS, isShrunk: false },
    );
    recorded.push(`Turn ${at} was about ${'x'.repeat(50)}`, `Turn ${at} found out ${'y'.repeat(50)}`);
    return written;
  });
  return { questions, session };
}

describe.each(SEEDS)('session %d', (seed) => {
  const { questions, session } = askAll(seed);
  const texts = questions.map(({ text }) => text);

  test('is asked about once a turn, for less than a hundredth of the characters', () => {
    const chars = texts.reduce((sum, text) => sum + text.length + writeInstructions(OPTIONS).length, 0);
    expect(texts.length).toBe(5);
    expect(chars).toBeLessThanOrEqual(MOST_CHARS);
    for (const text of texts) expect(text.length).toBeLessThanOrEqual(40_000);
  });

  test('takes the tokens a turn that prices are told for', () => {
    const tokens = texts.reduce((sum, text) => sum + estimateTokens(writeInstructions(OPTIONS) + text), 0) / texts.length;
    expect(tokens).toBeWithin(TURN_TOKENS.input * 0.7, TURN_TOKENS.input * 1.3);
  });

  test('shows every prompt of the user', () => {
    session.prompts.forEach((prompt, at) => {
      expect(texts[at]).toContain(encodeObserved(prompt));
    });
  });

  test('keeps at least 45 of 50 needles', () => {
    const lost = session.turns.flatMap(({ tools }, at) =>
      tools.filter(({ needle }) => !texts[at]?.includes(encodeObserved(needle))).map(({ kind, needle }) => `${kind}: ${needle}`),
    );
    expect(lost.length, lost.join('\n')).toBeLessThanOrEqual(5);
  });

  test('hides no needle in a prompt or closing message, and none twice', () => {
    const spoken = session.turns.map(({ prompt, stop }) => `${prompt.prompt} ${stop.last_assistant_message}`).join('\n');
    const needles = session.turns.flatMap(({ tools }) => tools.map(({ needle }) => needle));
    expect(needles.filter((needle) => spoken.includes(needle))).toEqual([]);
    expect(new Set(needles).size).toBe(50);
  });
});
