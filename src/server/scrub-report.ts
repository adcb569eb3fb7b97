// A text made fit to be shown to strangers: no secrets, and of paths only which are the same.
import { hashParts } from '../core/ids.ts';
import type { Paths } from '../paths.ts';
import { scrubSecrets } from '../secrets/scrub.ts';

const PATH = /(?<![\w.:/])(?:~|[A-Za-z]:)?\/[^\s"'`,:;(){}[\]<>|\\]+/g;

/** Every text in it, whatever it is part of. */
export function scrubReport(value: unknown, paths: Pick<Paths, 'dataDir'>): unknown {
  if (typeof value === 'string') return scrubText(value, paths);
  if (Array.isArray(value)) return value.map((one) => scrubReport(one, paths));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, scrubReport(one, paths)]));
}

function scrubText(text: string, { dataDir }: Pick<Paths, 'dataDir'>): string {
  const named = scrubSecrets(text).text.replaceAll(dataDir, '<data dir>');
  return named.replace(PATH, (path) => `<path ${hashParts([path]).slice(0, 8)}>`);
}

/** Of a line of the log its time, level and our own words: what an error says may repeat what somebody wrote. */
export function scrubLogLine(line: string): string | null {
  const [, at, level, rest = ''] = /^(\S+) (WARN|ERROR) (.*)$/.exec(line) ?? [];
  if (!at) return null;
  const codes = [...new Set(rest.match(/\b(?:SQLITE_[A-Z_]+|E[A-Z]{3,}|\w+Error)\b/g) ?? [])];
  return `${at} ${level} ${cutAtForeign(rest)}${codes.length > 0 ? ` [${codes.join(' ')}]` : ''}`;
}

/** Our own words end where details, a quotation or an error begin. */
const cutAtForeign = (message: string) => (/^[^{"'`:(/]*/.exec(message)?.[0] ?? '').trim();
