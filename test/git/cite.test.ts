import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hunk, SessionEvent } from '../../src/core/event.ts';
import type { ObservationDraft } from '../../src/core/observation.ts';
import { citeFiles } from '../../src/git/cite.ts';
import { markLine } from '../../src/git/work-file.ts';
import { EMPTY_OBSERVATION } from '../support/memories.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';

let repository: TestRepository;
beforeEach(() => {
  repository = createTestRepository();
});
afterEach(() => repository.close());

const cite = (draft: Partial<ObservationDraft>, events: SessionEvent[] = []) =>
  citeFiles({ ...EMPTY_OBSERVATION, ...draft }, { root: repository.root, events });

const editEvent = (id: string, file: string, hunks: Hunk[], more: { created?: boolean; error?: string } = {}) => {
  const event: SessionEvent = {
    ...{ kind: 'tool', tool: 'Edit', toolUseId: id, durationMs: 1, error: more.error ?? null },
    action: { type: 'edit', file: join(repository.root, file), hunks, created: more.created === true },
    ...{ id, session: 's', cwd: repository.root, at: 1, promptId: null, agentId: null },
  };
  return event;
};

const marks = (...lines: string[]) => lines.map((line) => markLine(line) ?? `nothing to know "${line}" by`);
const hashOf = (path: string) => repository.git('hash-object', path);

describe('a cited file', () => {
  test('has the hash that git gives it', () => {
    repository.write('a.ts', 'const größe = 1;\n');
    repository.write('empty.ts', '');
    const { citations } = cite({ filesModified: ['a.ts'], filesRead: ['empty.ts'] });
    expect(citations).toEqual([
      { path: 'a.ts', did: 'changed', blob: hashOf('a.ts'), before: null, added: [], removed: [] },
      { path: 'empty.ts', did: 'read', blob: hashOf('empty.ts'), before: null, added: [], removed: [] },
    ]);
  });

  test('has none when it is not there, cannot be read as a file, is too large, or lies outside', () => {
    mkdirSync(join(repository.root, 'folder'));
    symlinkSync('/dev/zero', join(repository.root, 'endless'));
    writeFileSync(join(repository.root, 'large'), Buffer.alloc(4 * 1024 * 1024 + 1));
    const filesRead = ['gone.ts', 'folder', 'endless', 'large', '/etc/hosts', '../x.ts', 'a\0b'];
    const blobs = cite({ filesRead }).citations.map(({ path, blob }) => [path, blob]);
    expect(blobs).toEqual(filesRead.map((path) => [path, path === 'gone.ts' ? '' : null]));
  });

  test('is named from the root, once, and forty are enough', () => {
    const names = Array.from({ length: 60 }, (_, at) => `file${at}.ts`);
    const { citations } = cite({ filesModified: [join(repository.root, 'file0.ts'), ...names], filesRead: names });
    expect(citations.map(({ path }) => path)).toEqual(names.slice(0, 40));
  });
});

describe('the lines of a change', () => {
  const OLD = ['first();', 'second();', '}', 'third();', ''];

  test('are those that its own edits added and removed', () => {
    repository.write('a.ts', ['first();', 'better();', '}', '}', 'third();', 'fourth();', ''].join('\n'));
    const one = { oldStart: 1, newStart: 1, lines: [' first();', '-second();', '+better();', '+}', ' }'] };
    const two = { oldStart: 5, newStart: 5, lines: [' third();', '+fourth();'] };
    const events = [editEvent('e1', 'a.ts', [one]), editEvent('e2', 'a.ts', [two])];
    expect(cite({ filesModified: ['a.ts'] }, events).citations).toMatchObject([
      { added: marks('better();', 'fourth();'), removed: marks('second();') },
    ]);
    expect(cite({ filesModified: ['a.ts'], sources: ['e1'] }, events).citations).toMatchObject([
      { added: marks('better();'), removed: marks('second();') },
    ]);
    const facts = [{ text: 'a fact', sources: ['e2'] }];
    expect(cite({ filesModified: ['a.ts'], facts }, events).citations).toMatchObject([{ added: marks('fourth();'), removed: [] }]);
  });

  test('leave out what was only moved, what failed, and what the file does not show', () => {
    repository.write('a.ts', ['moved();', 'first();', 'const key = load();', ''].join('\n'));
    const lines = ['-moved();', '-  first();', '+moved();', '+\tfirst();', '+const key = "[REDACTED]";', '+const key = load();'];
    const events = [
      editEvent('e1', 'a.ts', [{ oldStart: 1, newStart: 1, lines }]),
      editEvent('e2', 'a.ts', [{ oldStart: 1, newStart: 1, lines: ['+failed();'] }], { error: 'no' }),
    ];
    const added = marks('const key = load();');
    expect(cite({ filesModified: ['a.ts'] }, events).citations).toMatchObject([{ added, removed: [], before: null }]);
  });

  test('of a file that was made are all of it; more than forty are not kept', () => {
    const lines = Array.from({ length: 41 }, (_, at) => `line${at}();`);
    const make = (some: string[]) => {
      repository.write('a.ts', some.join('\n'));
      const hunk = { oldStart: 1, newStart: 1, lines: some.map((line) => `+${line}`) };
      return cite({ filesModified: ['a.ts'] }, [editEvent('e1', 'a.ts', [hunk], { created: true })]).citations;
    };
    expect(make(lines.slice(1))).toMatchObject([{ before: '', added: marks(...lines.slice(1)), removed: [], blob: hashOf('a.ts') }]);
    expect(make(lines)).toMatchObject([{ before: '', added: [], removed: [], blob: hashOf('a.ts') }]);
  });

  test('are all there is when the file shows none of them: then its hash says nothing', () => {
    repository.write('a.ts', OLD.join('\n'));
    const change = { oldStart: 2, newStart: 2, lines: ['-second();', '+better();'] };
    const undone = { blob: null, added: marks('better();'), removed: marks('second();') };
    expect(cite({ filesModified: ['a.ts'] }, [editEvent('e1', 'a.ts', [change])]).citations).toMatchObject([undone]);
    const taken = { oldStart: 2, newStart: 2, lines: ['-second();'] };
    expect(cite({ filesModified: ['a.ts'] }, [editEvent('e1', 'a.ts', [taken])]).citations).toMatchObject([
      { blob: null, removed: marks('second();') },
    ]);
    const inverse = { oldStart: 2, newStart: 2, lines: ['-better();', '+second();'] };
    const both = [editEvent('e1', 'a.ts', [change]), editEvent('e2', 'a.ts', [inverse])];
    expect(cite({ filesModified: ['a.ts'], sources: ['e1'] }, both).citations).toMatchObject([{ blob: null }]);
  });

  test('with a secret or a part of a line are known by the rest', () => {
    repository.write('a.ts', "const key = 'abc';\nconst cap = min(30, 7);\n");
    const blob = hashOf('a.ts');
    const citeLine = (line: string) =>
      cite({ filesModified: ['a.ts'] }, [editEvent('e1', 'a.ts', [{ oldStart: 1, newStart: 1, lines: [`+${line}`] }])]).citations[0]?.blob;
    expect(citeLine("const key = '[secret:password]';")).toBe(blob);
    expect(citeLine('min(30, 7)')).toBe(blob);
    expect(citeLine('max(3')).toBeNull();
  });
});

test('a line is known again however it is indented, and a trivial one is not', () => {
  expect(markLine('  const a = 1;\r')).toBe(markLine('const  a =\t1;'));
  expect(markLine('a = 7')).not.toBe(markLine('a = 3'));
  for (const line of ['', '}', '} else {', '// ----', 'fi']) expect(markLine(line)).toBeNull();
});

describe('the place of a memory', () => {
  beforeEach(() => {
    repository.write('a.ts', 'a');
    repository.commit('one');
  });

  const place = (root = repository.root) => {
    const { citations: _, ...there } = citeFiles(EMPTY_OBSERVATION, { root, events: [] });
    return there;
  };
  const head = () => repository.git('rev-parse', 'HEAD');

  test('is the branch and its commit, loose or packed', () => {
    repository.git('checkout', '-q', '-b', 'feature/deep');
    expect(place()).toEqual({ head: head(), branch: 'feature/deep' });
    repository.git('pack-refs', '--all');
    expect(place()).toEqual({ head: head(), branch: 'feature/deep' });
    repository.write('a.ts', 'b');
    repository.commit('two');
    expect(place()).toEqual({ head: head(), branch: 'feature/deep' });
  });

  test('of a detached work tree is its commit, of a second work tree its own', () => {
    repository.git('worktree', 'add', '-q', '-b', 'side', 'tree');
    expect(place(join(repository.root, 'tree'))).toEqual({ head: head(), branch: 'side' });
    repository.git('checkout', '-q', '--detach');
    expect(place()).toEqual({ head: head(), branch: null });
  });

  test('is not known where only git can read it, before the first commit, and without git', () => {
    repository.write('.git/HEAD', 'ref: refs/heads/.invalid\n');
    expect(place()).toEqual({ head: null, branch: null });
    repository.write('.git/HEAD', 'ref: refs/heads/unborn\n');
    expect(place()).toEqual({ head: null, branch: 'unborn' });
    expect(place('/nowhere')).toEqual({ head: null, branch: null });
  });
});
