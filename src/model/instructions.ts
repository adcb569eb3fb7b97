// What the model is told before anything else: its task, what is worth recording, the form of the answer. The words: instructions.txt.

import { join } from 'node:path';
import { z } from 'zod';
import { OBSERVATION_TYPES } from '../core/observation.ts';
import { encodeAttribute } from '../core/plain-line.ts';
import { oneLine } from '../core/text.ts';
import { readRegular } from '../regular-file.ts';
import template from './instructions.txt' with { type: 'text' };
import code from './modes/code.json' with { type: 'json' };
import research from './modes/research.json' with { type: 'json' };
import type { PromptOptions } from './question.ts';

/** The same bytes for the same options, so that a provider can cache them. */
export function writeInstructions({ mode, verbosity, language }: PromptOptions): string {
  const { role, record, instructions, types, concepts, example } = mode;
  const { type, title, subtitle, narrative, keywords } = example;
  // A user's mode may have other concepts than the example it took over.
  const known = example.concepts.filter((concept) => concept in concepts);
  const values: Record<string, string> = {
    ...{ role, type, title, subtitle, narrative, keywords },
    worth: record.map(dash).join('\n'),
    skip: SKIP[verbosity],
    rules: [...instructions, languageRule(language || mode.language)].map(dash).join('\n'),
    types: OBSERVATION_TYPES.map((type) => `${type}: ${types[type].meaning}`).join('\n'),
    concepts: Object.entries(concepts)
      .map(([word, meaning]) => `${word}: ${meaning}`)
      .join('\n'),
    facts: tagged('fact', example.facts),
    known: tagged('concept', known.length > 0 ? known : Object.keys(concepts).slice(0, 1)),
    filesRead: tagged('file', example.filesRead),
    filesModified: tagged('file', example.filesModified),
    sources: example.sources.join(','),
  };
  return template.trimEnd().replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
}

const dash = (text: string) => `- ${text}`;
const tagged = (tag: string, items: string[]) => items.map((item) => `<${tag}>${item}</${tag}>`).join('');

const SKIP = {
  minimal: 'Be strict: only decisions, fixes and features that outlast this session. Most turns are worth none or one observation.',
  normal:
    'Skip routine: status checks, listings, installs that went through, reading that led to nothing. ' +
    'Most turns are worth one to three observations, some none.',
  verbose:
    'Include routine work, in short: installs with versions, configuration, commands that worked, what ' +
    'reading showed. Skip only what is empty or repeated.',
};

function languageRule(language: string | null): string {
  if (!language) return "Write in the language of the user's prompts.";
  return (
    `Write in ${encodeAttribute(oneLine(language, 60))}, whatever language the record is in; ` +
    'tags, types, concepts and code stay as they are.'
  );
}

// Modes: what kind of work is observed, as data. Ours are bundled; a user's own stand in a folder and say only what differs.

export type Mode = z.infer<typeof Mode>;

/** Throws ModeError: a mode somebody chose and that cannot be read is not quietly replaced by another. */
export function loadMode(name: string, userFolder: string | null): Mode {
  if (!/^[a-z0-9-]{1,60}$/.test(name)) {
    throw new ModeError(`"${name}" is no name for a mode. Use small letters, digits and dashes, such as "code".`);
  }
  const ours = BUILT_IN.get(name);
  return ours ? Mode.parse(ours) : readUserMode(name, userFolder);
}

const BUILT_IN = new Map<string, unknown>(Object.entries({ code, research }));

export class ModeError extends Error {
  override name = 'ModeError';
}

const line = z.string().trim().min(1).max(600);
const shortLine = line.max(200);
const concept = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be a word like "how-it-works"')
  .max(40);
const typeName = z.enum(OBSERVATION_TYPES);
const typeWords = z.strictObject({ label: shortLine, meaning: shortLine });
const isTypeName = (word: string) => OBSERVATION_TYPES.some((type) => type === word);

const Mode = z.strictObject({
  name: z.string(),
  /** For people: in settings and the viewer. */
  label: shortLine,
  role: line,
  /** What is worth recording, one thing each. */
  record: z.array(shortLine).min(1).max(12),
  /** The six types are fixed; a mode says what each means in its kind of work. */
  types: z.record(typeName, typeWords),
  concepts: z
    .record(concept, shortLine)
    .refine((all) => Object.keys(all).length > 0 && Object.keys(all).length <= 20, 'must hold 1 to 20 concepts')
    .refine((all) => !Object.keys(all).some(isTypeName), 'must not repeat a type'),
  instructions: z.array(line).max(12).default([]),
  /** The language to write in, by its English name; null leaves it to the settings. */
  language: shortLine.nullable().default(null),
  /** One good answer: small models follow an example more than a rule. */
  example: z.strictObject({
    type: typeName,
    title: shortLine,
    subtitle: shortLine,
    narrative: line,
    facts: z.array(shortLine).min(1).max(6),
    concepts: z.array(concept).min(1).max(4),
    keywords: shortLine.default(''),
    filesRead: z.array(shortLine).max(6),
    filesModified: z.array(shortLine).max(6),
    sources: z.array(z.number().int().positive()).min(1).max(6),
  }),
});

/** A user's file: whatever it leaves out is as in `code`. */
const UserMode = Mode.partial().extend({ types: z.partialRecord(typeName, typeWords).optional() });

function readUserMode(name: string, userFolder: string | null): Mode {
  const ours = [...BUILT_IN.keys()].join(', ');
  if (userFolder === null) throw new ModeError(`There is no mode "${name}". Choose one of: ${ours}.`);
  const path = join(userFolder, `${name}.json`);
  const parsed = UserMode.safeParse(readJson(path, `Create it, or choose one of: ${ours}.`));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ModeError(`${path}: ${issue?.path.join('.') || 'the file'}: ${issue?.message}. Correct it there.`);
  }
  const base = Mode.parse(code);
  return { ...base, ...parsed.data, types: { ...base.types, ...parsed.data.types }, name };
}

function readJson(path: string, remedy: string): unknown {
  let text: string;
  try {
    text = readRegular(path).toString('utf8');
  } catch (cause) {
    throw new ModeError(`The mode's file ${path} cannot be read. ${remedy}`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ModeError(`${path} is not JSON. Correct it, or choose another mode.`, { cause });
  }
}
