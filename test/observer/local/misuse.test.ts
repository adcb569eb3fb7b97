// A command called wrongly and then rightly is a pitfall; everything that only looks like one is not.
import { describe, expect, test } from 'bun:test';
import type { EventBody } from '../../../src/core/event.ts';
import { edit, fails, observe, prompt, run, stop, tool } from './script.ts';

const turn = (...steps: EventBody[]) =>
  observe([prompt('Try the new report in the shell.'), ...steps, stop('It works.')]).observations.filter((one) =>
    one.concepts.includes('gotcha'),
  );

const WRONG = run('reportly build sales.yml --quiet 2>&1 | head -40', "error: unknown option '--quiet'");
const RIGHT = run('reportly build sales.yml --log-level none', 'Wrote sales.pdf (12 pages)');

describe('a flag that a program does not know', () => {
  test('is told with what worked instead, though a pipe hid the exit code', () => {
    const [pitfall, ...more] = turn(WRONG, run('reportly --help | head -60', 'Usage: reportly [options]'), RIGHT);
    expect(more).toEqual([]);
    expect(pitfall).toMatchObject({
      type: 'discovery',
      title: "reportly: unknown option '--quiet'; --log-level none worked instead",
      origin: 'command',
      outcome: null,
    });
    expect(pitfall?.facts.map(({ text, sources }) => [text, sources])).toEqual([
      ["`reportly build sales.yml --quiet` fails: unknown option '--quiet'.", ['e2']],
      ['`reportly build sales.yml --log-level none` works.', ['e4']],
    ]);
  });

  test('is told when the exit code said so, too', () => {
    const failed = fails('reportly build sales.yml --quiet', 'reportly: unrecognized option --quiet', 2);
    expect(turn(failed, run('reportly build sales.yml', 'Wrote sales.pdf'))[0]?.title).toContain('it works without');
  });

  test('is told with the call before it that gave no answer', () => {
    const waits = tool('Bash', {
      type: 'command',
      command: 'reportly build sales.yml',
      description: null,
      stdout: '',
      stderr: '',
      exitCode: 0,
      background: true,
    });
    const kill = tool('KillShell', { type: 'other', input: { shell_id: 'x' }, output: 'killed', isOfHost: true });
    const facts = turn(waits, kill, WRONG, RIGHT)[0]?.facts.map(({ text }) => text);
    expect(facts).toContain('`reportly build sales.yml` gave no answer and was stopped.');
  });
});

test.each([
  ['a file', 'reportly build sale.yml || true', 'reportly: sale.yml: No such file or directory'],
  ['a call that prints how it is used', 'reportly build 2>&1 sale.yml | head', 'usage: reportly build FILE\n  -o FILE'],
])('%s that was not there is told when another was', (_, command, output) => {
  expect(turn(run(command, output), run('reportly build data/sale.yml', 'Wrote it'))).toHaveLength(1);
});

describe('no pitfall is', () => {
  test.each<[string, EventBody[]]>([
    ['an error that nothing came after', [WRONG]],
    ['an error that something was changed for', [WRONG, edit('src/cli.ts', '+option("--quiet")'), RIGHT]],
    ['an error of one subcommand before the success of another', [WRONG, run('reportly list --all', 'sales.yml')]],
    ['an error that stays', [WRONG, run('reportly build sales.yml -q | head', 'error: unknown option -q')]],
    [
      'the same call again',
      [run('reportly build a.yml | head', 'a.yml: No such file or directory'), run('reportly build a.yml', 'Wrote it')],
    ],
    [
      'a look at a file that is not there',
      [run('cat a.txt | head', 'cat: a.txt: No such file or directory'), run('cat b/a.txt', 'x')],
    ],
    ['help that was asked for', [run('reportly build --help', 'usage: reportly build FILE'), RIGHT]],
    [
      'an error within the output of a run',
      [run('reportly build a.yml | tail', `${'line\n'.repeat(9)}error: unknown option '--quiet'`), RIGHT],
    ],
  ])('%s', (_, steps) => expect(turn(...steps)).toEqual([]));
});
