// Which words of a turn are shown below a row of search.
import { describe, expect, test } from 'bun:test';
import { findPassage, readWanted } from '../../src/search/snippets.ts';
import type { Step, TurnRecord } from '../../src/turns/record.ts';

/** The rarer a word, the more it tells: here all are equally rare. */
const known = { weight: () => 1 };
const said = (text: string): Step => ({ kind: 'said', text });
const ran = (command: string, output = ''): Step => ({ kind: 'ran', command, isOk: true, output });
const edited = (file: string, diff: string): Step => ({ kind: 'edited', file, isNew: false, added: 1, removed: 1, diff });

const passage = (query: string, record: Partial<TurnRecord>, more: Partial<Parameters<typeof findPassage>[2]> = {}) =>
  findPassage({ steps: [], closing: '', ...record }, readWanted(query, known), { prompt: '', title: '', room: 400, ...more });
const shown = (...given: Parameters<typeof passage>) => passage(...given)?.text ?? '';

const IDLE = Array.from({ length: 40 }, (_, at) => `Nothing that matters happened in the corridor of floor ${at}.`).join('\n');

describe('a passage', () => {
  test('has the line that was changed, with what stood there before and its file', () => {
    const steps = [said('Safari needs an export without threads.'), edited('export.cfg', '@@ 10\n-threads=true\n+threads=false')];
    expect(shown('why no threads on Safari', { steps })).toBe(
      'Safari needs an export without threads. export.cfg: threads=true → threads=false',
    );
  });

  test('has the command and the line it printed, not the rest of what it printed', () => {
    const steps = [ran('goose up', `${IDLE}\nduplicate version 7 of the walrus table\n${IDLE}`)];
    const text = shown('walrus version', { steps }, { room: 160 });
    expect(text).toContain('duplicate version 7 of the walrus table');
    expect(text.length).toBeLessThanOrEqual(160);
  });

  test('is none where it would only say what was asked, which the title says', () => {
    const asked = 'Implement the plan.';
    expect(passage('the plan of the walrus', { closing: 'Done.' }, { prompt: asked, title: asked })).toBeNull();
  });

  test('has of a link to a file its name, and of a page its address', () => {
    const closing = 'The walrus limit is in [limits.ts](/home/dev/zoo/src/limits.ts:12), see [the page](https://example.org/walrus).';
    expect(shown('walrus limit', { closing })).toBe('The walrus limit is in limits.ts, see [the page](https://example.org/walrus).');
  });

  test('has what follows a sentence that asks for it', () => {
    const closing = `${IDLE}\nThe limits of the walrus timeout:\n- 12000 ms by default\n- 60000 ms at most\n${IDLE}`;
    expect(shown('walrus timeout limits', { closing }, { room: 120 })).toContain('12000 ms by default');
  });

  test('has no guess beside what was found out later, where both answer the whole question', () => {
    const steps = [
      said('The nightly import fails because the disk is full by then.'),
      said('The disk is half empty.'),
      said('The nightly import fails because the backup holds a lock for eleven minutes.'),
    ];
    const text = shown('nightly import fails', { steps }, { room: 600 });
    expect(text).toContain('eleven minutes');
    expect(text).not.toContain('disk is full');
  });

  test('has nothing that the asker was given, but what else there is; and nothing where that is all', () => {
    const closing = 'The walrus timeout is 12000 ms.\nThe walrus timeout of the tests is 90 ms.';
    const given = 'The walrus timeout of the tests is 90 ms.';
    expect(shown('walrus timeout', { closing }, { given })).toBe('The walrus timeout is 12000 ms.');
    expect(passage('walrus timeout', { closing: given }, { given })).toBeNull();
  });

  test('takes the later of two that say as much', () => {
    const steps = [said(`The walrus leaks because of the cache, I guess${'.'.repeat(60)}`), said('The walrus leaks because of the timer.')];
    expect(shown('why does the walrus leak', { steps }, { room: 60 })).toBe('The walrus leaks because of the timer.');
  });

  test('repeats neither the title nor itself, and never the question', () => {
    const record = {
      steps: [said('Walrus prices in cents'), said('The walrus is paid in cents, as of May.')],
      closing: 'The walrus is paid in cents, as of May.',
    };
    const text = shown('walrus prices', record, {
      prompt: 'How are walrus prices kept?',
      title: 'Walrus prices in cents',
    });
    expect(text).toBe('The walrus is paid in cents, as of May.');
  });

  test('has what a person laid down, said to be asked', () => {
    expect(shown('who feeds the walrus', {}, { prompt: 'Only Ada feeds the walrus.' })).toBe('Asked: Only Ada feeds the walrus.');
  });

  test('has the steps that are open, of the last list alone', () => {
    const todo = (status: 'pending' | 'completed'): Step => ({
      kind: 'todo',
      items: [{ text: 'Wash the walrus', status }],
    });
    expect(shown('walrus todo', { steps: [todo('pending'), todo('completed')] })).toBe('[x] Wash the walrus');
  });

  test('finds a name by its parts, and CJK words by their characters', () => {
    expect(shown('initialize session order', { steps: [said(IDLE), said('InitializeSession(id, agent, path)')] }, { room: 60 })).toContain(
      'InitializeSession(',
    );
    expect(shown('库存默认值', { steps: [said('库存默认值 20。'), said('完成。')] })).toContain('20');
  });

  test('has what stands beside a find only where it tells something', () => {
    const steps = [said('The walrus timeout is checked twice.'), said('## Test plan')];
    expect(shown('walrus timeout', { steps, closing: 'Done.' })).toBe('The walrus timeout is checked twice.');
  });

  test('has what a short turn said, ran and changed, though it has no word of the question', () => {
    const steps = [
      ran('mvn test', 'Tests run: 98 in the whole suite'),
      edited('Limit.java', '@@ 4\n-PER_MINUTE = 120\n+PER_MINUTE = 1500'),
    ];
    const text = shown(
      'zebra',
      { steps, closing: 'The walrus may ask more often.' },
      { prompt: 'Raise the limit to 1500 for the walrus.' },
    );
    expect(text).toBe(
      'Asked: Raise the limit to 1500 for the walrus. … Limit.java: PER_MINUTE = 120 → PER_MINUTE = 1500 The walrus may ask more often.',
    );
  });

  test('has nothing of a long turn without a word of the question: one of many is no answer', () => {
    const floors = Array.from({ length: 40 }, (_, at) => said(`Painted the corridor of floor number ${at}.`));
    expect(passage('zebra', { steps: floors })).toBeNull();
    const long = Array.from({ length: 30 }, (_, at) => `unheard${at}`).join(' ');
    expect(shown(`${long} walrus`, { steps: [said('The walrus is fed at seven.'), ...floors] })).toContain('The walrus is fed at seven.');
    expect(passage('zebra', {})).toBeNull();
  });

  test('is marked where words may be somebody else’s, also what was printed by a fetch', () => {
    const page: Step = { kind: 'web', source: 'https://walrus.example' };
    expect(passage('walrus food', { steps: [page, said('Walrus food is clams.')] })?.isUntrusted).toBe(true);
    expect(passage('walrus food', { steps: [ran('curl https://walrus.example', 'Walrus food is clams.')] })?.isUntrusted).toBe(true);
    expect(passage('walrus food', { steps: [page, ran('ls'), ran('pwd'), said('Walrus food is clams.')] })?.isUntrusted).toBe(false);
  });

  test('is never longer than its room, whatever the record holds', () => {
    const long = 'walrus'.repeat(300);
    const record = {
      steps: [said(`${long} ${long}`), ran(`echo ${long}`, long), edited(`${'deep/'.repeat(30)}walrus.ts`, `+${long}`)],
      closing: long,
    };
    for (const room of [100, 175, 250, 400]) expect(shown(`walrus ${long}`, record, { room }).length).toBeLessThanOrEqual(room);
  });

  test('has no line that was taken out of its file later', () => {
    const steps = [edited('R/slopes.R', '+WINDOW_S <- 300  # seconds\n+SLOPES <- fit(window)')];
    const isGone = ({ file, text }: { file: string; text: string }) => file === 'R/slopes.R' && text.includes('300');
    expect(shown('window of the slopes in seconds', { steps })).toContain('WINDOW_S <- 300');
    expect(shown('window of the slopes in seconds', { steps }, { isGone })).toBe('slopes.R: SLOPES <- fit(window)');
  });
});
