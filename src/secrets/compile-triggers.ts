// Lists what may announce a secret and lays it out for the pre-filter when the program is built: a starting worker has no time for thousands.
import { readCalls, readOptions } from './command.ts';
import { compileTokens } from './compile-tokens.ts';
import { readNameRules } from './name.ts';
import { type Layout, layOut, type Trigger } from './trigger.ts';
import { DSN_LITERALS, URL_LITERALS } from './url.ts';

export function compileTriggers(): Layout {
  const exact = (by: string, literals: readonly string[]): Trigger[] =>
    literals.map((literal) => ({ literal, ignoreCase: false, isShape: false, by }));
  const folded = (by: string, literals: readonly string[]): Trigger[] =>
    literals.map((literal) => ({ literal, ignoreCase: true, isShape: false, by }));
  const parts = new Set(readNameRules().flatMap((rule) => rule.parts));
  return layOut([
    ...compileTokens().flatMap(({ starts }, i) =>
      exact(`token ${i}`, starts).map((trigger) => ({ ...trigger, isShape: true })),
    ),
    ...[...parts].flatMap((part) => folded(`name ${part}`, lengthen(part))),
    ...readOptions().flatMap(({ literals }, i) => exact(`option ${i}`, literals)),
    ...readCalls().flatMap(({ value, functions }) => folded(`call ${value}`, functions)),
    ...folded('sql', ['identified']),
    ...folded('inserted', ['insert', 'replace']),
    ...exact('cluster', ['data:', 'Data:', 'data"', 'Data"']),
    ...exact('echo', ['echo ', 'printf ', 'yes ', 'Write-Output ']),
    ...exact('here', ['<<<']),
    ...exact('url', URL_LITERALS),
    ...exact('dsn', DSN_LITERALS),
    ...exact('pem-head', ['BEGIN ']),
    ...exact('pem-tail', ['END ']),
    ...exact('putty', ['Private-Lines:']),
  ]);
}

/** The pre-filter wants three letters: a short name is noticed with what may stand before it, or after it where no blanks are written. */
function lengthen(part: string): string[] {
  if (part.length >= 3) return [part];
  const isJoined = part.charCodeAt(0) > 0x2000;
  const around = isJoined ? ' :：=＝是为為は改设設"\'`」』】）)<|,，*' : ' \n\t"\'`_-.?&{(,;/<[#';
  const before = isJoined ? [] : [...around].map((sign) => sign + part);
  return [...before, ...[...(isJoined ? around : ' :=')].map((sign) => part + sign)];
}
