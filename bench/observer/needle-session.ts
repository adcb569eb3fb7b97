// A long session as hook payloads: five prompts, fifty tool uses, 539,000 characters of output, and in each use one needle.
import { endsWell, failingBuild, failingTests, failingTool, noisyLog, type Planted, stackTrace } from './needle-session/commands.ts';
import { edit, grep, mcp, read, wideEdit, write } from './needle-session/files.ts';
import { createRandom, type Random } from './needle-session/random.ts';

export type NeedlePayload = Record<string, unknown> & { hook_event_name: string };

export type NeedleTurn = {
  prompt: NeedlePayload;
  /** `needle` is what a reader must still see of it; `kind` says how it is hidden. */
  tools: { payload: NeedlePayload; needle: string; kind: string }[];
  stop: NeedlePayload;
};

export type NeedleSession = { prompts: string[]; turns: NeedleTurn[] };

const OUTPUT_CHARS = 539_000;
const TURNS = 5;
const TOOLS = 10;

/** The same for the same seed. */
export function makeNeedleSession(seed: number): NeedleSession {
  const random = createRandom(seed);
  const sizes = makeSizes(random);
  const prompts = Array.from({ length: TURNS }, (_, at) => makePrompt(random, at));
  const session = { session_id: makeUuid(random), cwd: '/home/dev/shop', permission_mode: 'default' };
  const hard = random.shuffle([noisyLog, wideEdit, stackTrace]);
  const turns = prompts.map((prompt, turn) => {
    const common = { ...session, prompt_id: makeUuid(random) };
    const planted = random
      .shuffle(makersOf(random, hard[turn % hard.length] ?? noisyLog))
      .map((make, at) => make(random, sizes[turn * TOOLS + at] ?? 0));
    return {
      prompt: { ...common, hook_event_name: 'UserPromptSubmit', prompt },
      tools: planted.map((one) => ({ payload: toPayload(random, common, one), needle: one.needle, kind: one.kind })),
      stop: {
        ...common,
        hook_event_name: 'Stop',
        stop_hook_active: false,
        last_assistant_message: makeClosing(random),
      },
    };
  });
  return { prompts, turns };
}

type Make = (random: Random, size: number) => Planted;

/** Ten tools of a turn: half of them commands, and one of the hard kinds. */
function makersOf(random: Random, hard: Make): Make[] {
  const extra = random.pick([noisyLog, mcp, endsWell, failingTool]);
  const tests = random.pick([failingTests, failingTool]);
  return [read, grep, edit, edit, write, tests, failingBuild, endsWell, hard, extra];
}

/** From 2 to 20 thousand characters each, and 539 thousand together. */
function makeSizes(random: Random): number[] {
  const raw = Array.from({ length: TURNS * TOOLS }, () => random.int(2000, 20_000));
  // What stands around it (paths, patches, JSON) adds some eight in a hundred.
  const scale = OUTPUT_CHARS / 1.08 / raw.reduce((sum, size) => sum + size, 0);
  return raw.map((size) => Math.max(2000, Math.min(20_000, Math.round(size * scale))));
}

function makePrompt(random: Random, at: number): string {
  const what = `${random.noun()} ${random.noun()}`;
  const wanted = random.pick([
    `The ${what} comes out wrong when the ${random.noun()} is empty. Find out why and fix it, with a test.`,
    `Add a ${what} to the ${random.noun()} page, behind the flag "${random.name()}".`,
    `Please speed up the ${what}: it takes ${random.int(3, 30)} s for ${random.int(2, 9)}00 rows. We must not change the format on disk.`,
    `no, not like that. Use ${random.name()} for the ${what} and leave ${random.name()} as it is`,
  ]);
  return at === 0 ? `${wanted}\n\nKeep ${random.name()} working for old clients; they cannot be updated before ${random.noun()}.` : wanted;
}

function makeClosing(random: Random): string {
  const point = () =>
    `- \`${random.name()}\` now takes the ${random.noun()} first, so that an empty ${random.noun()} no longer ends the loop early`;
  const next = `Next I would look at the ${random.noun()}: it still reads every ${random.noun()} twice.`;
  return ['The change is in and the tests pass.', '', ...Array.from({ length: random.int(4, 8) }, point), '', next].join('\n');
}

function toPayload(random: Random, common: Record<string, unknown>, { tool, input, response, error }: Planted): NeedlePayload {
  const base = {
    ...common,
    tool_name: tool,
    tool_input: input,
    tool_use_id: `toolu_${random.hex(24)}`,
    duration_ms: random.int(5, 90_000),
  };
  if (error !== undefined) return { ...base, hook_event_name: 'PostToolUseFailure', error, is_interrupt: false };
  return { ...base, hook_event_name: 'PostToolUse', tool_response: response };
}

function makeUuid(random: Random): string {
  return [8, 4, 4, 4, 12].map((length) => random.hex(length)).join('-');
}
