// What was said to have been tried without help. Nobody has to try it again.
import { type Draft, gatherFacts, type Statement } from './draft.ts';
import { makeTitle, subjectOfFile } from './title.ts';
import { closingStatements, netEdits, statementsAt, type TurnInPlace } from './turn.ts';
import { uses } from './words.ts';

const MOST = 2;

export function observeAttempts({ turn }: TurnInPlace): Draft[] {
  const { steps } = turn.record;
  const said = [...steps.flatMap((_, at) => statementsAt(steps, at)), ...closingStatements(turn.record)];
  const files = [...new Set(netEdits(turn.record).map(({ file }) => file))].slice(0, 10);
  return said
    .filter(({ text }) => uses(text, 'dead'))
    .slice(-MOST)
    .flatMap((one) => attempt(one, files));
}

function attempt(said: Statement, files: string[]): Draft[] {
  const title = makeTitle(said.text, files[0] ? subjectOfFile(files[0]) : null);
  if (title === null) return [];
  return [
    {
      type: 'discovery',
      title,
      facts: gatherFacts([said]),
      filesModified: [],
      filesRead: files,
      outcome: 'ruled-out',
      by: 'agent',
      isRule: false,
      steps: [said.at],
    },
  ];
}
