// Idle words of a language are left out of a question that is asked in it, and of no other.
import { expect, test } from 'bun:test';
import { readQuery } from '../../src/search/query-words.ts';

const termsOf = (query: string) =>
  readQuery(query)
    .filter(({ stem }) => stem !== null)
    .map(({ text }) => text);

test.each([
  ['why is the import of the orders so slow', ['import', 'orders', 'slow']],
  ['Warum ist der Import der Bestellungen langsam', ['Import', 'Bestellungen', 'langsam']],
  ['pourquoi est-ce que les commandes sont lentes', ['commandes', 'lentes']],
  ['por qué los pedidos son tan lentos', ['pedidos', 'lentos']],
  ['por que os pedidos são lentos', ['pedidos', 'são', 'lentos']],
])('%s', (query, expected) => {
  expect(termsOf(query)).toEqual(expected);
});

test.each([
  ['python os path exists', ['os', 'path', 'exists']],
  ['sin of an angle in degrees', ['sin', 'angle', 'degrees']],
  ['add a comment to the issue', ['add', 'comment', 'issue']],
  ['num workers of the pool', ['num', 'workers', 'pool']],
  ['which man page is it', ['man', 'page']],
])('a word of code is none of another language: %s', (query, expected) => {
  expect(termsOf(query)).toEqual(expected);
});
