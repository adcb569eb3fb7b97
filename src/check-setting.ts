// What a person says on the command line, or a program in JSON → the value of a setting, or what is allowed, in plain words.
import { accessSync, constants, statSync } from 'node:fs';
import { readBaseUrl } from './core/base-url.ts';
import { describeAllowed, SETTINGS, type SettingName } from './settings.ts';

export function checkSetting(name: SettingName, said: string): unknown {
  const text = said.trim();
  if (text === '') throw new Error(`${name} needs a value. For its default again: claude-mem config unset ${name}`);
  if (/\p{Cc}/u.test(text)) throw new Error(`${name} cannot have a line break or another control character in it.`);
  if (name === 'baseUrl' || name === 'embedderUrl') checkBaseUrl(text, name);
  const parsed = SETTINGS[name]
    .schema()
    .safeParse(typeof SETTINGS[name].fallback === 'number' ? readNumber(text) : text);
  if (!parsed.success) throw new Error(`${name} cannot be "${text}": it must be ${describeAllowed(name)}.`);
  if (name === 'claudePath' && !isExecutable(text))
    throw new Error(`claudePath: ${text} is not a file that can be run.`);
  return parsed.data;
}

/** The same for a value of JSON, which must be of the right type: what only coercion would make of it is refused. */
export function checkSettingValue(name: SettingName, value: unknown): unknown {
  const texts = [value].flat().filter((part) => typeof part === 'string');
  if (texts.some((text) => /\p{Cc}/u.test(text)))
    throw new Error(`${name} cannot have a line break or another control character in it.`);
  const isRight = typeof value === typeof SETTINGS[name].fallback && !isLarge(value);
  const parsed = isRight ? SETTINGS[name].schema().safeParse(value) : null;
  if (!parsed?.success) throw new Error(`${name} must be ${describeAllowed(name)}.`);
  return parsed.data;
}

/** More than anybody sets by hand. */
const MOST_CHARACTERS = 20_000;
const isLarge = (value: unknown) => JSON.stringify(value).length > MOST_CHARACTERS;

export function checkBaseUrl(text: string, name: 'baseUrl' | 'embedderUrl' = 'baseUrl'): URL {
  const read = readBaseUrl(text);
  if (read.kind === 'good') return read.url;
  throw new Error(`This ${name} cannot be used: it ${read.reason}.`);
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there, or not for us: the answer.
    return false;
  }
}

/** 50000, 50,000 and 50_000; NaN for what only a program would take for a number. */
function readNumber(text: string): number {
  const plain = /^\d{1,3}([,_]\d{3})+$/.test(text) ? text.replace(/[,_]/g, '') : text;
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN;
}
