// One line for every row of the tables of secrets, with a random secret in it, and what of it must be found nowhere afterwards.
import { readOptions } from '../../src/secrets/command.ts';
import { readLanguages, readNameRules } from '../../src/secrets/name.ts';
import { readTable } from '../../src/secrets/table.ts';
import callTable from '../../src/secrets/tables/calls.txt' with { type: 'text' };
import { readPlaces, readTokenRules } from '../../src/secrets/tokens.ts';
import { seededRandom } from '../core/seeded-random.ts';
import { makeExample } from './cases.ts';

export type Example = { line: string; parts: string[] };

/** Another seed, other secrets. */
export function makeExamples(seed: number): Example[] {
  const random = seededRandom(seed);
  const human = () => `${random.pick('bcdfghjklmnpqrstvwxz', 8)}7${random.pick('BCDFGH', 3)}4${random.pick('kqvwxz', 2)}`;
  const machine = () => `${random.pick('ABCDefgh0123456789', 30)}a7B`;
  const write = (template: string): Example => {
    const secret = human();
    return { line: template.replace('{secret}', secret), parts: [secret] };
  };
  const shapes = readTokenRules().map(({ example }): Example => {
    const { secret, parts } = makeExample(example, random.pick);
    return { line: secret, parts };
  });
  const names = readNameRules()
    .filter(({ kind, by }) => !/^(?:-|authorization|cookie|docker-auth)$/.test(kind) && by !== 'login')
    .flatMap(({ examples, by }) =>
      examples.filter(Boolean).map((name): Example => {
        const secret = by === 'machine' ? machine() : human();
        return { line: `${name}: "${secret}"`, parts: [secret] };
      }),
    );
  const options = readOptions().map(({ programs, option }) => {
    const program = (programs.split(' ')[0] ?? '').replace('+', ' ');
    return write(`${program} ${option.replace('{user}', 'joe').replace('{word}', 'file')}`);
  });
  const calls = readTable(callTable).map(([, , example = '']) => write(example));
  const sentences = readLanguages().map(({ example }) => write(example));
  // Hosts may send the lines of a text one by one: what the line above announces is tried in forms.txt.
  const places = readPlaces().filter(({ example }) => !example.includes('\n'));
  const unnamed = places.map(({ example }): Example => {
    const three = () => `${random.pick('abcdefgh', 1)}${random.pick('0123456789', 1)}${random.pick('BCDFGH', 1)}`;
    const secret = Array.from({ length: 12 }, three).join('');
    return { line: example.replace('{secret}', secret), parts: [secret] };
  });
  return [...shapes, ...names, ...options, ...calls, ...sentences, ...unnamed];
}
