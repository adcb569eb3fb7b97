// The log: one line per happening, made by an entry point and passed down.
import { mkdirSync, readdirSync, unlinkSync } from 'node:fs';
import { appendToOwnFile } from './own-files.ts';
import { scrubSecrets } from './secrets/scrub.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Details are short values, never payloads: what was captured does not belong in a log. */
export type Log = Record<LogLevel, (message: string, details?: Record<string, unknown>) => void>;

const KEPT_DAYS = 7;

export function createFileLog(folder: string, level: LogLevel): Log {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeOldLogs(folder);
  const write = (at: LogLevel) => (message: string, details?: Record<string, unknown>) => {
    if (LOG_LEVELS.indexOf(at) < LOG_LEVELS.indexOf(level)) return;
    const now = new Date().toISOString();
    const tail = details ? ` ${JSON.stringify(details)}` : '';
    try {
      const line = `${now} ${at.toUpperCase()} ${scrubSecrets(`${message}${tail}`).text}\n`;
      appendToOwnFile(`${folder}/${logName(now)}`, line);
    } catch {
      // A log that cannot be written must not stop what it tells about.
    }
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

const logName = (isoTime: string) => `worker-${isoTime.slice(0, 10)}.log`;

function removeOldLogs(folder: string): void {
  const oldest = logName(new Date(Date.now() - KEPT_DAYS * 86_400_000).toISOString());
  for (const name of readdirSync(folder)) {
    if (/^worker-\d{4}-\d\d-\d\d\.log$/.test(name) && name < oldest) unlinkSync(`${folder}/${name}`);
  }
}
