// A transcript of Claude Code says what its hooks would have said: no more, no less, however it is damaged.
import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { claudeCode } from '../../src/agents/claude-code/agent.ts';
import { createLines, ordinarySession, SESSION } from '../support/claude-lines.ts';
import { expectNothingInvented } from '../support/damaged.ts';
import { readTranscript, toLines } from '../support/transcript.ts';

const path = `/home/dev/.claude/projects/-home-dev-shop/${SESSION}.jsonl`;
const readLines = (lines: object[], options = {}) => readTranscript(claudeCode, { path, body: toLines(lines) }, options);

/** `prompt p1 Fix it`, `tool Bash toolu_1`, one for each event. */
const tell = (lines: object[], options = {}) =>
  readLines(lines, options).events.map((event) => {
    if (event.kind === 'tool') {
      const how = event.isUndone ? ' undone' : event.error === null ? '' : ' failed';
      return `tool ${event.tool} ${event.toolUseId}${how}`;
    }
    const said = 'text' in event ? event.text : 'message' in event ? event.message : 'summary' in event ? event.summary : '';
    return `${event.kind} ${event.promptId} ${said}`;
  });

test('a whole session, without what the host adds', () => {
  expect(tell(ordinarySession())).toEqual([
    'prompt p1 Fix the slug, it must keep umlauts.',
    'said p1 I will look at the test first.',
    'tool Bash toolu_1',
    'tool Read toolu_2',
    'tool Bash toolu_3 failed',
    'tool Write toolu_4 undone',
    'stop p1 ',
    'prompt p2 /ship now',
    'tool Bash toolu_5',
    'stop p2 Shipped: the slug keeps umlauts now, because it is normalised before it is cut.',
    'compaction p3 This session is being continued. The slug keeps umlauts.',
    'prompt p4 And the tests?',
    'prompt p4 Also on Windows!',
    'tool Bash toolu_6 undone',
  ]);
});

test('what still runs is not said before it is over', () => {
  const told = tell(ordinarySession(), { isOver: false });
  expect(told.at(-1)).toBe('prompt p4 Also on Windows!');
  const { resumeAt } = readLines(ordinarySession(), { isOver: false });
  expect(tell(ordinarySession(), { from: resumeAt })).toEqual(tell(ordinarySession()).slice(-3));
});

describe('a closing message', () => {
  const { prompt, say, use, bash } = createLines();
  test.each<[string, object[], string[]]>([
    ['of old versions, which do not say that it is one', [prompt('Hi', 'p'), say('Hello.', null)], ['Hello.']],
    ['is not what is said before a tool', [prompt('Hi', 'p'), say('I look.', null), ...bash('t', 'ls', '')], []],
    ['is the last of several', [prompt('Hi', 'p'), say('One.', null), ...bash('t', 'ls', ''), say('Two.')], ['Two.']],
    ['of each of two turns', [prompt('Hi', 'p'), say('One.'), prompt('And?', 'q'), say('Two.')], ['One.', 'Two.']],
    ['is none of the host itself', [prompt('Hi', 'p'), { ...say('API Error'), isApiErrorMessage: true }], []],
    ['is empty when the agent was interrupted', [prompt('Hi', 'p'), say('I', null), prompt('[Request interrupted by user]')], ['']],
    [
      'is said once, though the interruption comes after the end',
      [prompt('Hi', 'p'), say('Done.'), prompt('[Request interrupted by user]')],
      ['Done.'],
    ],
    ['is not known while the agent may go on', [prompt('Hi', 'p'), use('t', 'Bash', {})], []],
  ])('%s', (_name, lines, expected) => {
    const stops = readLines(lines).events.flatMap((event) => (event.kind === 'stop' ? event.message : []));
    expect(stops).toEqual(expected);
  });
});

describe('what the host says in the place of the user is no prompt:', () => {
  const { prompt, line } = createLines();
  const NEWS = '<task-notification>\n<task-id>b7</task-id>\n<status>failed</status>\n</task-notification>';
  const queued = (attachment: object) => line('attachment', null, { attachment: { type: 'queued_command', ...attachment } });
  test.each<[string, object]>([
    ['news of background work', prompt(NEWS, 'p')],
    ['with where its result lies', prompt(`${NEWS}\nRead the output file to retrieve the result: /tmp/b7.output`, 'p')],
    ['with more news behind it', prompt(`${NEWS}\n${NEWS}\nFull transcript available at: /tmp/b7.jsonl`, 'p')],
    ['with what else the tag says', prompt('<task-notification id="b7">\nDone', 'p')],
    ['in a block of its own', prompt([{ type: 'text', text: `${NEWS}\nRead the output file` }], 'p')],
    ['while a turn runs', queued({ prompt: `${NEWS}\nRead the output file` })],
    ['while a turn runs, by its mode', queued({ prompt: 'Agent "a" completed', commandMode: 'task-notification' })],
    ['while a turn runs, by its origin', queued({ prompt: 'Agent completed', origin: { kind: 'task-notification' } })],
    ['by its origin', prompt('Agent "a" completed', 'p', { origin: { kind: 'task-notification' } })],
    ['from another session', prompt('Take over', 'p', { origin: { kind: 'peer' } })],
    ['a turn that a timer began', prompt('Look again', 'p', { turnOrigin: 'scheduled' })],
    ['a turn that goes on by itself', prompt('Continue', 'p', { turnOrigin: 'auto_continuation' })],
    ['the output of a local command', prompt('<local-command-stdout>Set model</local-command-stdout>', 'p')],
  ])('%s', (_, said) => {
    expect(tell([said]).filter((event) => event.startsWith('prompt'))).toEqual([]);
  });

  test('the account that goes on after a compaction, though it is not marked', () => {
    const account = 'This session is being continued from a previous conversation that ran out of context.';
    expect(tell([prompt(account, 'p')])).toEqual([`compaction p ${account}`]);
  });

  test('but what a person said beside it is', () => {
    const blocks = [
      { type: 'text', text: `${NEWS}\nRead the output file` },
      { type: 'text', text: 'Fix it.' },
    ];
    expect(tell([prompt(blocks, 'p', { origin: { kind: 'human' }, turnOrigin: 'human' })])).toEqual(['prompt p Fix it.']);
    expect(tell([prompt('What is a <task-notification>?', 'p', { turnOrigin: 'sdk' })])).toHaveLength(1);
  });
});

test('old lines without ids of prompts are known by their time, also in the copy of a resumed session', () => {
  const lines = [createLines().prompt('Fix it'), ...createLines().bash('toolu_1', 'ls', 'x')];
  const copy = [createLines().prompt([{ type: 'text', text: 'Fix it' }]), ...createLines().bash('toolu_1', 'ls', 'x')];
  const ids = readLines([...lines, ...copy]).records.map(({ payload }) => payload.prompt_id);
  expect(new Set(ids).size).toBe(1);
});

test("a subagent's file is its own: its tools, and what it reported", () => {
  const { prompt, say, bash } = createLines();
  const file = { path: `${path.slice(0, -6)}/subagents/agent-a1b2.jsonl`, body: '' };
  const body = toLines([prompt('Where is it?', 'p1'), ...bash('toolu_9', 'ls', 'x'), say('It is in cardamom.')]);
  const { events } = readTranscript(claudeCode, { ...file, body });
  expect(events).toMatchObject([
    { kind: 'tool', toolUseId: 'toolu_9', agentId: 'a1b2', session: SESSION, promptId: 'p1' },
    { kind: 'subagent', agentId: 'a1b2', message: 'It is in cardamom.' },
  ]);
});

test('what a fork repeats of its parent is not said again', () => {
  const copied = createLines()
    .bash('toolu_1', 'ls', 'x')
    .map((line) => ({ ...line, forkedFrom: { sessionId: 'parent' } }));
  expect(tell([...copied, createLines().prompt('And now?', 'p9')])).toEqual(['prompt p9 And now?']);
});

/** The real sample where it is at hand; ours in any case. */
const SAMPLE = join(import.meta.dir, '../../../shared/samples/claude-code/transcript-sample.jsonl');
const BODIES: [string, string][] = [
  ['an ordinary session', toLines(ordinarySession())],
  ...(existsSync(SAMPLE) ? [['the sample', readFileSync(SAMPLE, 'utf8')] as [string, string]] : []),
];

describe.each(BODIES)('%s', (_name, body) => {
  const key = (event: object) => JSON.stringify({ ...event, id: '', at: 0 });

  test('cut off at any byte of its end says nothing that it does not say whole', () => {
    const whole = new Set(readTranscript(claudeCode, { path, body }).events.map(key));
    const bytes = Buffer.from(body);
    for (let end = Math.max(0, bytes.length - 4096); end < bytes.length; end++) {
      const cut = bytes.subarray(0, end).toString('utf8');
      const { events } = readTranscript(claudeCode, { path, body: cut }, { isOver: false });
      for (const event of events) if (!whole.has(key(event))) throw new Error(`invented at ${end}: ${key(event)}`);
    }
  });

  test('damaged breaks nothing and makes nothing up', () => {
    expectNothingInvented(
      claudeCode,
      path,
      body.split('\n').filter((line) => line !== '' && line.length < 20_000),
    );
  }, 600_000);
});
