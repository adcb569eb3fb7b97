// What an error is about, where its kind and one name say enough: a missing module, a taken port, a compiler's code with its subject.

/** The first that a line tells of, strongest kind first; null when none does. */
export function findSubject(lines: string[]): string | null {
  for (const [kind, pattern] of SUBJECTS) {
    for (const line of lines) {
      const name = pattern.exec(line)?.slice(1).find(Boolean);
      if (name) return `${kind} ${lastName(name).toLowerCase()}`;
    }
  }
  return null;
}

/** A relative path may be written from anywhere. */
const lastName = (name: string) => (/^[./\\]|^[A-Za-z]:\\/.test(name) ? (name.split(/[\\/]/).at(-1) ?? name) : name);

const SUBJECTS: [string, RegExp][] = [
  [
    'no module',
    /(?:Cannot find (?:module|package)|No module named|Can't resolve|Could not resolve|Failed to resolve import|no required module provides package|Could not find a declaration file for module|unresolved import|cannot find package) [`'"]?([^\s`'";:,]{2,120})/,
  ],
  ['compiler', /\b(TS\d{4,5}: .{0,200}?'[^'\s]{2,80}')/],
  ['compiler', /\b(error\[E\d{4}\]: .{0,200}?`[^`\s]{2,80}`)/],
  ['in use', /EADDRINUSE.{0,80}?:(\d{2,5})\b|[Aa]ddress already in use.{0,60}?[:\s](\d{2,5})\b/],
  ['in use', /\b[Pp]ort (\d{2,5}) (?:is |was )?(?:already |currently )?(?:in use|allocated|taken|being used|used)/],
  ['in use', /[\d.\]]:(\d{2,5})\)?:? (?:bind: address already in use|failed: port is already allocated)/],
  [
    'refused',
    /ECONNREFUSED\s(?:\S{0,60}[:.])?(\d{2,5})\b|port (\d{2,5}) failed: Connection refused|TCP\/IP connections on port (\d{2,5})/,
  ],
  ['refused', /:(\d{2,5})\b.{0,60}?[Cc]onnection refused|[Cc]onnection refused.{0,60}?:(\d{2,5})\b/],
  [
    'no command',
    /(?:^|[\s:])([\w.@+-]{2,60}): (?:command )?not found\s*$|command not found: ([\w.@+-]{2,60})|'([\w.@+-]{2,60})' is not recognized as|spawn ([\w.@/+-]{2,80}) ENOENT|executable file not found in \$PATH.{0,20}|exec: "([\w.@+-]{2,60})": executable file not found/,
  ],
  [
    'no table',
    /relation "([\w.]{2,80})" does not exist|no such table: ([\w.]{2,80})|Table '([\w.]{2,80})' doesn't exist/,
  ],
  [
    'no column',
    /column "?([\w.]{2,80})"? (?:of relation \S{1,80} )?does not exist|no such column: ([\w.]{2,80})|Unknown column '([\w.]{2,80})'/,
  ],
  ['no role', /(?:role|database) "([\w.-]{2,80})" does not exist/],
  ['no package', /404 Not Found - GET \S{0,120}\/((?:@[\w.-]{1,60}(?:\/|%2f))?[\w.-]{2,80})(?:\s|$)/i],
  ['no script', /Missing script: "?([\w:.-]{2,60})|Script not found "?([\w:.-]{2,60})/],
  [
    'no variable',
    /(?:environment variable|env var)s?:? [`'"]?([A-Z][A-Z0-9_]{3,60})\b.{0,40}(?:not set|missing|required|undefined)/,
  ],
  [
    'no variable',
    /\b([A-Z][A-Z0-9_]{3,60}) (?:environment variable )?(?:is|must be) (?:not set|missing|required|set)\b/,
  ],
  [
    'no gem',
    /Could not find (?:gem ')?([a-z][\w-]{1,60}?)(?:-\d[\w.]{0,20}|')? .{0,40}?in (?:locally installed gems|any of)/,
  ],
  ['linker', /undefined reference to [`'"]([\w:~<>]{2,120})/],
];
