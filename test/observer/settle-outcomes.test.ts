// What a later turn or session says about earlier work: only runs, commits and what is taken back count.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { EventBody, SessionEvent } from '../../src/core/event.ts';
import { readVerdicts, settleOutcomes } from '../../src/observer/settle-outcomes.ts';
import { setOutcome } from '../../src/store/memories/outcomes.ts';
import { ensureProject } from '../../src/store/projects/projects.ts';
import { readTellableByIds } from '../../src/store/trust/tellable-observations.ts';
import { createToldWork, type Deed, type StoredWork, type ToldWork } from '../support/told-work.ts';
import { batch, run } from './local/script.ts';

let told: ToldWork;
beforeEach(() => {
  told = createToldWork();
});
afterEach(() => told.close());

const FIX: Deed = { edited: 'src/cart.ts', lines: ['-  return sum * rate;', '+  return Math.round(sum * rate);'] };
const UNFIX: Deed = { edited: 'src/cart.ts', lines: ['-  return Math.round(sum * rate);', '+  return sum * rate;'] };
const GREEN: Deed = { ran: 'bun test', out: '12 pass\n 0 fail' };
const RED: Deed = {
  failed: 'bun test',
  out: 'test/cart.test.ts:\nerror: expect(received).toBe(expected)\n\nExpected: 90\nReceived: 91\n\n(fail) cart > rounds the total to whole cents [1ms]\n\n 11 pass\n 1 fail',
};

/** A fix that nobody has seen work. */
function fixUnseen(session = 's1', day = 0): StoredWork {
  const [fix] = told.turn(
    session,
    'The total of the cart has too many decimals. Fix it.',
    [FIX],
    'Fixed the rounding bug: the total in src/cart.ts was not rounded to whole cents. It is fixed now and works.',
    day,
  );
  if (!fix) throw new Error('the rules told nothing');
  return fix;
}

/** A fix that turned its test from red to green. */
function fixSeen(session = 's1', day = 0): StoredWork {
  const works = told.turn(
    session,
    'The test of the cart is red. Fix it.',
    [RED, FIX, GREEN],
    'Fixed: the total was not rounded to whole cents. All tests pass.',
    day,
  );
  const fix = works.find((work) => work.type === 'bugfix');
  if (!fix) throw new Error('the rules told of no fix');
  return fix;
}

describe('words alone', () => {
  test('do not make a fix that works', () => {
    const fix = fixUnseen();
    expect(fix).toMatchObject({ type: 'bugfix', outcome: 'unverified' });
    told.turn('s1', 'Does it work?', [], 'Yes, it is fixed and all tests pass.');
    expect(told.outcomeOf(fix.id)).toBe('unverified');
  });
});

describe('a later check', () => {
  const after = (...deeds: Deed[]) => {
    const fix = fixUnseen();
    told.turn('s1', 'Check it.', deeds, 'Done.');
    return told.outcomeOf(fix.id);
  };
  const OTHER: Deed = { edited: 'src/users.ts', lines: ['+export const a = 1;'] };

  test('that passes proves it', () => expect(after(GREEN)).toBe('passed'));
  test('of its own test proves it', () =>
    expect(after({ ran: 'bun test test/cart.test.ts', out: '3 pass\n 0 fail' })).toBe('passed'));
  test('of types proves it', () => expect(after({ ran: 'npx tsc --noEmit' })).toBe('passed'));
  test('proves it although something else was edited', () => expect(after(OTHER, GREEN)).toBe('passed'));
  test('of other tests does not', () =>
    expect(after({ ran: 'bun test test/users.test.ts', out: '3 pass\n 0 fail' })).toBe('unverified'));
  test('of another language does not', () =>
    expect(after({ ran: 'pytest', out: '=== 12 passed in 0.41s ===' })).toBe('unverified'));
  test('that is red does not', () => expect(after(RED)).toBe('unverified'));
  test('that is green and then red does not', () => expect(after(GREEN, RED)).toBe('unverified'));
  test('after its file was edited again does not', () =>
    expect(after({ edited: 'src/cart.ts', lines: ['-const x = 1;', '+const x = 2;'] }, GREEN)).toBe('unverified'));
  test('of style does not', () => expect(after({ ran: 'npx eslint .' })).toBe('unverified'));
  test('on another branch does not', () => expect(after({ ran: 'git checkout main' }, GREEN)).toBe('unverified'));
  test('whose program only looks around does not', () => expect(after({ ran: 'ls src' })).toBe('unverified'));
});

describe('a later commit', () => {
  const after = (...deeds: Deed[]) => {
    const fix = fixUnseen();
    told.turn('s1', 'Commit it.', deeds, 'Committed.');
    return told.outcomeOf(fix.id);
  };
  const commit = (command: string): Deed => ({ ran: command, out: '[main 3f2a1bc] Round the total\n 1 file changed' });

  test('of everything holds it', () => expect(after(commit('git commit -am "Round the total"'))).toBe('passed'));
  test('of its file holds it', () =>
    expect(after(commit('git add src/cart.ts && git commit -m "Round the total"'))).toBe('passed'));
  test('of what nobody named does not', () =>
    expect(after(commit('git commit -m "Round the total"'))).toBe('unverified'));
  test('of another file does not', () =>
    expect(after(commit('git add README.md && git commit -m "Say more"'))).toBe('unverified'));
  test('that failed does not', () =>
    expect(after({ failed: 'git commit -am "Round the total"', out: 'pre-commit hook failed' })).toBe('unverified'));
  test('after a fix was edited again does not prove the first try', () =>
    expect(after({ edited: 'src/cart.ts', lines: ['-a', '+b'] }, commit('git commit -am "Round the total"'))).toBe(
      'unverified',
    ));
});

describe('a later session', () => {
  test('that checks the project proves it', () => {
    const fix = fixUnseen('s1');
    told.turn('s2', 'Run the tests.', [GREEN], 'All green.', 2);
    expect(told.outcomeOf(fix.id)).toBe('passed');
  });

  test('that commits it proves it', () => {
    const fix = fixUnseen('s1');
    told.turn(
      's2',
      'Commit.',
      [{ ran: 'git add src/cart.ts && git commit -m x', out: '[main 3f2a1bc] x' }],
      'Done.',
      1,
    );
    expect(told.outcomeOf(fix.id)).toBe('passed');
  });

  test('that commits what was staged before says nothing of it', () => {
    const fix = fixUnseen('s1');
    told.turn('s2', 'Commit.', [{ ran: 'git commit -m x', out: '[main 3f2a1bc] x' }], 'Done.', 1);
    expect(told.outcomeOf(fix.id)).toBe('unverified');
  });

  test('after another session changed its file does not prove it', () => {
    const fix = fixUnseen('s1');
    told.turn(
      's2',
      'Refactor the cart.',
      [{ edited: 'src/cart.ts', lines: ['-let a = 1;', '+const a = 1;'] }],
      'Refactored the cart to use const.',
      1,
    );
    told.turn('s3', 'Run the tests.', [GREEN], 'All green.', 2);
    expect(told.outcomeOf(fix.id)).toBe('unverified');
  });

  test('after more than a week says nothing of it', () => {
    const fix = fixUnseen('s1');
    told.turn('s2', 'Run the tests.', [GREEN], 'All green.', 9);
    expect(told.outcomeOf(fix.id)).toBe('unverified');
  });

  test('of another project says nothing of it', () => {
    const fix = fixUnseen('s1');
    const { id: other } = ensureProject(told.db, { key: '/other', name: 'other', root: '/other', remote: null }, 0);
    told.db.query('UPDATE observations SET project_id = ? WHERE id = ?').run(other, fix.id);
    told.turn('s2', 'Run the tests.', [GREEN], 'All green.', 1);
    expect(told.outcomeOf(fix.id)).toBe('unverified');
  });
});

describe('work that is taken back', () => {
  const after = (...deeds: Deed[]) => {
    const fix = fixSeen();
    told.turn('s1', 'That is wrong, take it back.', deeds, 'I took the change back.');
    return { title: fix.title, outcome: told.outcomeOf(fix.id), fix };
  };

  test('by the inverse edit is ruled out, and keeps its title', () => {
    const { title, outcome, fix } = after(UNFIX);
    expect(outcome).toBe('ruled-out');
    expect(told.works().find(({ id }) => id === fix.id)?.title).toBe(title);
  });
  test('by git is ruled out', () => expect(after({ ran: 'git checkout -- src/cart.ts' }).outcome).toBe('ruled-out'));
  test('with the whole tree is ruled out', () => expect(after({ ran: 'git reset --hard' }).outcome).toBe('ruled-out'));
  test('and made again stands', () => expect(after(UNFIX, FIX).outcome).toBe('passed'));
  test('in one file and put into another stands', () =>
    expect(after(UNFIX, { edited: 'src/money.ts', lines: ['+  return Math.round(sum * rate);'] }).outcome).toBe(
      'passed',
    ));
  test('but only another file stands', () => expect(after({ ran: 'git restore src/users.ts' }).outcome).toBe('passed'));
  test('by a command that failed stands', () =>
    expect(after({ failed: 'git checkout -- src/cart.ts', out: 'error: pathspec did not match' }).outcome).toBe(
      'passed',
    ));
});

describe('work of an earlier session that is taken back', () => {
  test('by git, by its file, is ruled out', () => {
    const fix = fixSeen('s1');
    told.turn('s2', 'Drop it.', [{ ran: 'git restore src/cart.ts' }], 'Dropped the change.', 1);
    expect(told.outcomeOf(fix.id)).toBe('ruled-out');
  });

  test.each(['cd ../other && git checkout -- .', 'git -C ../other reset --hard', 'git restore legacy/src/cart.ts'])(
    'stands when something else is put back: %s',
    (ran) => {
      const fix = fixSeen('s1');
      told.turn('s2', 'Drop it.', [{ ran }], 'Dropped the change.', 1);
      expect(told.outcomeOf(fix.id)).toBe('passed');
    },
  );

  test('by an edit only stands: it may have been worked on', () => {
    const fix = fixSeen('s1');
    told.turn('s2', 'Drop it.', [UNFIX], 'Dropped the change.', 1);
    expect(told.outcomeOf(fix.id)).toBe('passed');
  });

  test('stands when it was committed before', () => {
    const fix = fixSeen('s1');
    told.turn('s1', 'Commit.', [{ ran: 'git commit -am "Round it"', out: '[main 3f2a1bc] Round it' }], 'Done.');
    told.turn('s2', 'Drop it.', [{ ran: 'git restore src/cart.ts' }], 'Dropped the change.', 1);
    expect(told.outcomeOf(fix.id)).toBe('passed');
  });

  test('is ruled out when its commit is reverted', () => {
    const works = told.turn(
      's1',
      'The total has too many decimals. Fix it.',
      [
        FIX,
        GREEN,
        { ran: 'git commit -am "Round the total to cents"', out: '[main 3f2a1bc] Round the total to cents' },
      ],
      'Fixed the rounding.',
    );
    const revert = { ran: 'git revert --no-edit 3f2a1bc', out: '[main 99aa0bb] Revert "Round the total to cents"' };
    told.turn('s2', 'Revert it.', [revert], 'Reverted.', 3);
    expect(works[0] && told.outcomeOf(works[0].id)).toBe('ruled-out');
  });

  test('stands when another commit is reverted', () => {
    const works = told.turn(
      's1',
      'The total has too many decimals. Fix it.',
      [
        FIX,
        GREEN,
        { ran: 'git commit -am "Round the total to cents"', out: '[main 3f2a1bc] Round the total to cents' },
      ],
      'Fixed the rounding.',
    );
    const revert = { ran: 'git revert --no-edit HEAD', out: '[main 99aa0bb] Revert "Add a banner"' };
    told.turn('s2', 'Revert it.', [revert], 'Reverted.', 3);
    expect(works[0] && told.outcomeOf(works[0].id)).toBe('passed');
  });
});

describe('where git tells its head and branch', () => {
  /** A turn of another session, judged with the work tree at this place. */
  const judge = (command: string, out: string, place: { head: string | null; branch: string | null }) => {
    const events = [{ ...events1(run(command, out)), at: Date.parse('2026-01-03T10:00:00Z') }];
    const verdicts = readVerdicts({ ...batch([]), events });
    const scene = { projectId: 1, sessionId: 99, ...place };
    return verdicts && told.db.transaction(() => settleOutcomes(told.db, verdicts, scene)).immediate();
  };
  const events1 = (body: EventBody) => batch([body]).events[0] as SessionEvent;
  const stand = (id: number) => told.db.run(`UPDATE observations SET head = 'aaa', branch = 'main' WHERE id = ${id}`);

  test('the whole tree put back takes back what was made on this head', () => {
    const fix = fixSeen();
    stand(fix.id);
    expect(judge('git reset --hard', '', { head: 'aaa', branch: 'main' })).toEqual([
      { id: fix.id, outcome: 'ruled-out' },
    ]);
  });

  test('another tree put back takes back nothing', () => {
    stand(fixSeen().id);
    expect(judge('git -C ../other reset --hard', '', { head: 'aaa', branch: 'main' })).toEqual([]);
    expect(judge('cd ../other && git checkout -- .', '', { head: 'aaa', branch: 'main' })).toEqual([]);
  });

  test('what was made before another commit may be part of it', () => {
    const fix = fixSeen();
    stand(fix.id);
    expect(judge('git reset --hard', '', { head: 'bbb', branch: 'main' })).toEqual([]);
    expect(judge('git restore src/cart.ts', '', { head: 'bbb', branch: 'main' })).toEqual([]);
    expect(judge('git restore src/cart.ts', '', { head: null, branch: null })).toEqual([]);
  });

  test('a check on another branch says nothing', () => {
    const fix = fixUnseen();
    stand(fix.id);
    expect(judge('bun test', '3 pass', { head: 'aaa', branch: 'other' })).toEqual([]);
    expect(judge('bun test', '3 pass', { head: 'aaa', branch: 'main' })).toEqual([{ id: fix.id, outcome: 'passed' }]);
  });
});

describe('a fix whose own test goes red again', () => {
  test('has failed', () => {
    const fix = fixSeen('s1');
    expect(fix.outcome).toBe('passed');
    told.turn('s2', 'Run the tests.', [RED], 'One test fails.', 1);
    expect(told.outcomeOf(fix.id)).toBe('failed');
  });

  test('stands when an edit explains it', () => {
    const fix = fixSeen('s1');
    told.turn('s2', 'Change the cart.', [{ edited: 'src/tax.ts', lines: ['-1', '+2'] }, RED], 'One test fails.', 1);
    expect(told.outcomeOf(fix.id)).toBe('passed');
  });

  test('stands when what was pulled explains it', () => {
    const fix = fixSeen('s1');
    told.turn('s2', 'Pull and test.', [{ ran: 'git pull' }, RED], 'One test fails.', 1);
    expect(told.outcomeOf(fix.id)).toBe('passed');
  });

  test('stands when it was a flicker', () => {
    const fix = fixSeen('s1');
    told.turn('s2', 'Run the tests.', [RED, GREEN], 'Green the second time.', 1);
    expect(told.outcomeOf(fix.id)).toBe('passed');
  });

  test('stands when another test is red', () => {
    const fix = fixSeen('s1');
    const other = { failed: 'bun test', out: '(fail) users > finds nobody by an empty name [1ms]\n 11 pass\n 1 fail' };
    told.turn('s2', 'Run the tests.', [other], 'One test fails.', 1);
    expect(told.outcomeOf(fix.id)).toBe('passed');
  });

  test('stands when the test was green in the meantime and its file changed', () => {
    const fix = fixSeen('s1');
    told.turn(
      's2',
      'Refactor.',
      [{ edited: 'src/cart.ts', lines: ['-let a;', '+const a = 1;'] }, GREEN],
      'Refactored the cart module.',
      1,
    );
    told.turn('s3', 'Run the tests.', [RED], 'One test fails.', 2);
    expect(told.outcomeOf(fix.id)).toBe('passed');
  });
});

describe('an outcome that changes', () => {
  test('changes the hash with it: the memory is still told', () => {
    const fix = fixUnseen();
    told.turn('s1', 'Check.', [GREEN], 'Green.');
    expect(readTellableByIds(told.db, [fix.id])).toMatchObject([{ id: fix.id, outcome: 'passed' }]);
  });

  test('is not that of what a person edited', () => {
    const fix = fixUnseen();
    told.db.query("UPDATE observations SET edited_at = '2026-01-02T10:30:00Z' WHERE id = ?").run(fix.id);
    told.turn('s1', 'Check.', [GREEN], 'Green.');
    expect(told.outcomeOf(fix.id)).toBe('unverified');
    expect(setOutcome(told.db, fix.id, 'passed')).toBe(false);
  });

  test('does not make a damaged row look sound', () => {
    const fix = fixUnseen();
    told.db.query("UPDATE observations SET title = 'Something else' WHERE id = ?").run(fix.id);
    expect(setOutcome(told.db, fix.id, 'passed')).toBe(false);
    expect(readTellableByIds(told.db, [fix.id])).toEqual([]);
  });
});
