// The log: one line per happening, made by an entry point and passed down.
import { readdirSync, renameSync, unlinkSync } from 'node:fs';
import { appendToOwnFile, makeOwnFolder, sizeOf } from './own-files.ts';
import { scrubSecrets } from './secrets/scrub.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** Details are short values, never payloads: what was captured does not belong in a log. */
export type Log = Record<LogLevel, (message: string, details?: Record<string, unknown>) => void>;

const KEPT_DAYS = 7;
/** Of one file; the one before it of the same day is kept, too, as `worker-DAY.0.log`. */
export const MOST_LOG_BYTES = 5 * 1024 * 1024;
/** Of all of them: the oldest go first. */
const MOST_LOGS_BYTES = 40 * 1024 * 1024;

/** `echo` gets every line as well, for whoever watches. */
export function createFileLog(folder: string, level: LogLevel, echo: (line: string) => void = () => undefined): Log {
  makeOwnFolder(folder);
  removeOldLogs(folder);
  const write = (at: LogLevel) => (message: string, details?: Record<string, unknown>) => {
    if (LOG_LEVELS.indexOf(at) < LOG_LEVELS.indexOf(level)) return;
    const now = new Date().toISOString();
    const tail = details ? ` ${JSON.stringify(details)}` : '';
    try {
      const line = `${now} ${at.toUpperCase()} ${scrubSecrets(`${message}${tail}`).text}\n`;
      echo(line);
      const path = `${folder}/${logName(now)}`;
      if (sizeOf(path) > MOST_LOG_BYTES) turnOver(folder, path);
      appendToOwnFile(path, line);
    } catch {
      // A log that cannot be written must not stop what it tells about.
    }
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

const logName = (isoTime: string) => `worker-${isoTime.slice(0, 10)}.log`;

function turnOver(folder: string, path: string): void {
  renameSync(path, path.replace(/\.log$/, '.0.log'));
  removeOldLogs(folder);
}

function removeOldLogs(folder: string): void {
  const oldest = logName(new Date(Date.now() - KEPT_DAYS * 86_400_000).toISOString());
  let bytes = 0;
  for (const name of readdirSync(folder).sort().reverse()) {
    if (!/^worker-\d{4}-\d\d-\d\d(?:\.0)?\.log$/.test(name)) continue;
    bytes += sizeOf(`${folder}/${name}`);
    if (name < oldest || bytes > MOST_LOGS_BYTES) unlinkSync(`${folder}/${name}`);
  }
}
