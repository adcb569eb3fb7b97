// What came of a session, or of a time, as lines: done, decided, left open.
import { plainLine } from '../core/plain-line.ts';
import type { RollUp } from '../core/session.ts';
import { clip } from './table.ts';
import type { Terminal } from './terminal.ts';

export function describeRollUp({ done, decided, open }: RollUp, { isTerminal, width, paint }: Terminal): string[] {
  const item = (id: string, text: string) => {
    const whole = `  #${id} ${plainLine(text, 400)}`;
    return isTerminal ? clip(whole, width) : whole;
  };
  const section = (name: string, lines: string[]) => (lines.length > 0 ? [paint('cyan', name), ...lines] : []);
  return [
    ...section(
      'Done',
      done.map(({ id, title }) => item(id, title)),
    ),
    ...section(
      'Decided',
      decided.map(({ id, title }) => item(id, title)),
    ),
    ...section(
      'Left open',
      open.map(({ id, text }) => item(id, text)),
    ),
  ];
}
