// A line that a later change took out of its file is not shown as what an earlier turn wrote.
import { expect, test } from 'bun:test';
import { findPassage, readWanted } from '../../src/search/snippets.ts';

const wanted = readWanted('window of the slopes in seconds', { weight: () => 1 });
const diff = ['+WINDOW_S <- 300  # seconds', '+SLOPES <- fit(window)'].join('\n');
const record = {
  steps: [{ kind: 'edited' as const, file: 'R/slopes.R', isNew: true, added: 2, removed: 0, diff }],
  closing: 'The window of the slopes is set.',
};
const shown = { prompt: '', title: 'Slopes', room: 400 };

test('a changed line is shown with its file while it stands, and left out when it is gone', () => {
  expect(findPassage(record, wanted, shown)?.text).toContain('WINDOW_S <- 300');
  const asked: string[] = [];
  const isGone = ({ file, text }: { file: string; text: string }) => {
    asked.push(file);
    return text.includes('300');
  };
  const passage = findPassage(record, wanted, { ...shown, isGone })?.text ?? '';
  expect(passage).not.toContain('300');
  expect(passage).toContain('SLOPES <- fit(window)');
  expect(new Set(asked)).toEqual(new Set(['R/slopes.R']));
});
