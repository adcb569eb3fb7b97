// What a reader would take for more than it is: instructions as deeds, results as causes, words that say nothing.
import { describe, expect, test } from 'bun:test';
import { tellsMore } from '../../../src/core/summary.ts';
import { create, edit, grep, observe, prompt, report, run, stop, tool } from './script.ts';

const GREEN = run('bun test', '12 pass\n0 fail');

describe('a narrative', () => {
  const narrative = (closing: string) =>
    observe([prompt('Add an export of invoices.'), create('src/export.ts', 'export const a = 1;'), stop(closing)])
      .observations[0]?.narrative;

  test.each(['**To try it out:**', '## How to use it', 'Usage:', '### Installation'])(
    'leaves out the steps under "%s"',
    (heading) => {
      const told = narrative(
        `The export is there. What it has:\n\n\`\`\`\nsrc/export.ts\n\`\`\`\n\n${heading}\n1. Log in as an admin\n2. Have an invoice at hand\n\nEach row of the file holds one position of an invoice.`,
      );
      expect(told).toContain('Each row of the file holds one position');
      expect(told).not.toMatch(/Log in|at hand/);
    },
  );

  test('keeps what is told under any other heading', () => {
    expect(narrative('Added the export.\n\n## Details\n- Rows are written in the order of their dates')).toContain(
      'order of their dates',
    );
  });

  test.each(['Done.', 'All set!', 'Fixed.', 'It works now.'])('is not "%s"', (word) => {
    const { observations } = observe([
      prompt('Round the total of src/cart.ts'),
      edit('src/cart.ts', '-return sum;', '+return Math.round(sum);'),
      stop(`${word} I chose bankers’ rounding over half-up because the tax office asks for it.`),
    ]);
    expect(observations.some(({ type }) => type === 'decision')).toBe(true);
    for (const one of observations) expect([one.narrative, ...one.facts.map(({ text }) => text)]).not.toContain(word);
  });
});

test.each(['The shipping fee is right now.', 'The fees of all carriers are correct now.', 'The fee is now correct.'])(
  'how it stands now is no cause: %s',
  (closing) => {
    const { observations, summary } = observe([
      prompt('The shipping fee is wrong, fix it'),
      edit('src/fee.ts', '-return 4;', '+return 5;'),
      GREEN,
      stop(closing),
    ]);
    const [fix] = observations;
    expect(fix?.type).toBe('bugfix');
    expect(
      [fix?.title, fix?.subtitle, ...(fix?.facts ?? []).map(({ text }) => text), summary?.learned].join('\n'),
    ).not.toMatch(/\b(?:Cause|Fix): the (?:shipping )?fee/i);
  },
);

test('why it was wrong is a cause', () => {
  const { observations } = observe([
    prompt('The shipping fee is wrong, fix it'),
    edit('src/fee.ts', '-return 4;', '+return 5;'),
    GREEN,
    stop('The fee was read from the old table because the cache was never cleared. It is right now.'),
  ]);
  expect(observations[0]?.title).toBe('Fix: the fee was read from the old table because the cache was never cleared');
  expect(observations[0]?.narrative).toBeNull();
});

describe('what was looked into', () => {
  const glob = (query: string) => tool('Glob', { type: 'search', query, path: null, files: [], matches: 2 });
  const investigated = (...steps: Parameters<typeof observe>[0]) =>
    observe([prompt('Where are the fees?'), ...steps, stop('In two places.')]).summary?.investigated ?? null;

  test('names no pattern that fits everything', () => {
    expect(investigated(glob('**/*.json'), glob('**/*'), glob('*.ts'), grep('shippingFee'))).toBe(
      'searched for shippingFee.',
    );
    expect(investigated(glob('**/*.{js,ts}'))).toBeNull();
    expect(investigated(glob('src/fees/**/*.ts'))).toBe('searched for src/fees/**/*.ts.');
  });

  test('names a subagent by what it was asked, or not at all', () => {
    const asked = (description: string) =>
      tool('Task', { type: 'agent', agentId: null, description, prompt: 'p', result: 'There are two fees.' });
    expect(investigated(report('', 'There are two fees.'), asked('Find all fees'))).toBe(
      'asked subagents: Find all fees.',
    );
    expect(investigated(report('general-purpose', 'There are two fees.'))).toBeNull();
    expect(investigated(report('fee-finder', 'There are two fees.'))).toBe('asked subagents: fee-finder.');
  });
});

describe('a summary', () => {
  test('of a greeting says nothing that the prompt does not', () => {
    const { summary } = observe([prompt('hello'), stop('Hello! What shall we work on?')]);
    expect(summary && tellsMore(summary)).toBe(false);
  });

  test('of a finding that its title tells in full has it', () => {
    const { observations, summary } = observe([
      prompt('Why does the hook not fire here?'),
      run('cat hooks.json', '{}'),
      stop('The hook only fires when a new session starts with the plugin loaded.'),
    ]);
    expect(observations[0]?.title).toContain('only fires when a new session');
    expect(summary?.learned).toContain('only fires when a new session');
  });
});

test('an approved plan is told without how it will be tried out', () => {
  const text =
    '# Plan: Export of invoices\n\n## Approach\n- Stream the rows of all invoices to a file\n- Write the header of the file once\n\n## Verification\n1. Start the shop with a full database\n2. Open the page of all invoices';
  const { observations } = observe([prompt('Plan it.'), tool('ExitPlanMode', { type: 'plan', text }), stop('Good.')]);
  const told = JSON.stringify(observations.find(({ concepts }) => concepts.includes('plan')));
  expect(told).toContain('Write the header of the file once');
  expect(told).not.toContain('full database');
});
