// What the command line says: help that fits a terminal of 80 columns, and the words of the field.
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';

const WIDTH = 80;
const list = (command: Command): Command[] => [command, ...command.commands.flatMap(list)];
const pathOf = (command: Command): string => (command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name());

function renderHelp(command: Command): string {
  let text = '';
  const writeOut = (part: string) => {
    text += part;
  };
  command.configureOutput({ writeOut, getOutHelpWidth: () => WIDTH }).outputHelp();
  return text;
}

const HELP = list(buildProgram()).map((command): [string, string] => [pathOf(command), renderHelp(command)]);

test.each(HELP)('the help of %s fits 80 columns', (_, help) => {
  expect(help.split('\n').filter((line) => Bun.stringWidth(line) > WIDTH)).toEqual([]);
});

test('the list of commands has groups, and neither a former name nor a hook', () => {
  const [, list = ''] = HELP[0] ?? [];
  for (const group of ['Ask the memory', 'Change the memory', 'Set it up', 'Look after it', 'Keep the data', 'For programs', 'Help'])
    expect(list).toContain(`\n${group}:\n`);
  expect(list).not.toMatch(/^ {2}(wrong|distrust|new|save|summary|cleanup|complete) /m);
});

const LISTED = buildProgram().commands.filter((command) => HELP[0]?.[1].includes(`\n  ${command.name()} `));

test.each(LISTED.map((command) => [command.name(), command.description()]))('%s says in the imperative what it does', (_, about) => {
  expect(about).toMatch(/^[A-Z][a-z]+ /);
  expect(about).not.toMatch(/^\w+(ing|s) /);
});

test.each(['search', 'timeline', 'show', 'recap', 'remember', 'forget', 'incorrect', 'block'])('the help of %s has an example', (name) => {
  expect(HELP.find(([path]) => path === `claude-mem ${name}`)?.[1]).toMatch(/Examples?:\n {2}claude-mem/);
});

/** Words that our users do not know, with what is said instead. */
const FORBIDDEN: [RegExp, string][] = [
  [/\b(told|tells?)\b/i, 'added to context'],
  [/\bdistil/i, 'process'],
  [/\bsilence|\bsilent/i, 'paused, turned off, private'],
  [/\banew\b/i, 'again'],
  [/\bby (itself|themselves)\b/i, 'automatically'],
  [/\b(takes?|taken) up\b/i, 'resumes, applies'],
  [/\b(set aside|quarantined)\b/i, 'failed'],
  [/\bspool(ed)?\b(?!\/)/i, 'offline queue'],
  [/\bdistrust(ed)?\b|claude-mem wrong\b/i, 'block, incorrect'],
  [/\b(web )?door\b/i, 'HTTP server'],
  [/\b(mend|whence)/i, 'repair, source'],
  [/\breceipt\b/i, 'deletion report'],
];

/** Values in the database. */
const STORED = ["'not taken up'"];
const SQL = /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|FROM|WHERE|AND|CASE|NULL)\b|[=<>] ['$?\d]/;

/** The sentences in the source: literals with a space in them, without what is put into them. Elsewhere than in the CLI, without SQL and code. */
function readTexts(): [string, string][] {
  const root = join(import.meta.dir, '../../src');
  return [...new Bun.Glob('**/*.ts').scanSync(root)].flatMap((file) => {
    const code = readFileSync(join(root, file), 'utf8').replace(/^import .*|^\s*(\/\/|\/?\*).*/gm, '');
    const literals = code.match(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g) ?? [];
    const texts = literals.map((text) => text.replace(/\$\{[^}]*\}/g, '…'));
    const isSaid = (text: string) =>
      text.includes(' ') && !STORED.includes(text) && (file.startsWith('cli/') || !(SQL.test(text) || /[;{}]|, \w+_\w/.test(text)));
    return texts.filter(isSaid).map((text): [string, string] => [file, text]);
  });
}

test('commands, answers, errors and log lines use the words of the field', () => {
  const texts = readTexts();
  expect(texts.length).toBeGreaterThan(1500);
  const found = texts.flatMap(([file, text]) =>
    FORBIDDEN.filter(([word]) => word.test(text)).map(([, instead]) => ({ file, text, instead })),
  );
  expect(found).toEqual([]);
});
