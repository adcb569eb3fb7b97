// The names that a changed line declares or stands inside: functions, classes, tables, headings, keys.

/** Line patterns of many languages; the name is the first group. Lines are capped before, so these stay cheap. */
const DECLARATIONS: RegExp[] = [
  /^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\*?\s+([\w$]+)/,
  /^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+|final\s+|public\s+|private\s+|internal\s+|sealed\s+|data\s+|open\s+|static\s+|pub(?:\([^)]*\))?\s+)*(?:class|interface|enum|struct|trait|protocol|object|record|namespace|module|defmodule)\s+([\w$.:]+)/,
  /^\s*(?:export\s+)?type\s+([\w$]+)\s*(?:<[^=]*>\s*)?=/,
  /^\s*(?:export\s+)?(?:const|let|var|val)\s+([\w$]+)\s*(?::[^=]{1,80})?=\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]{1,60})?=>|[\w$]+\s*=>)/,
  /^\s*(?:async\s+)?def\s+(?:self\.)?([\w?!]+)/,
  /^\s*defp?\s+([\w?!]+)/,
  /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?(?:unsafe\s+)?fn\s+(\w+)/,
  /^\s*impl(?:<[^>]*>)?\s+([\w:<>, ]{1,60})\s*\{/,
  /^\s*func\s+(?:\([^)]{1,60}\)\s*)?(\w+)/,
  /^\s*(?:(?:public|private|protected|internal|override|open|suspend|static|inline)\s+)*fun\s+(?:<[^>]*>\s*)?(?:\w+\.)?(\w+)/,
  /^\s*(?:(?:public|private|protected|static|final|abstract|virtual|override|async|synchronized|readonly)\s+)+(?:function\s+)?(?:[\w<>[\],.?]+\s+)?(\w+)\s*\(/,
  /^\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:UNIQUE\s+)?(?:TABLE|VIEW|INDEX|FUNCTION|TRIGGER)\s+(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?["`]?([\w.]+)/i,
  /^(?:[\w*]+\s+)+\*?(\w+)\([^;]*\)\s*\{/,
  /^\s*(?:async\s+|get\s+|set\s+|static\s+)*([\w$]+)\([^()]{0,120}\)\s*(?::\s*[\w<>[\], |]{1,60})?\s*\{\s*$/,
];

const NOT_NAMES = new Set(
  'if for while switch catch return else do try function constructor match when with unless until using'.split(' '),
);

/** The name a line declares, or null. */
export function declaredName(line: string): string | null {
  const text = line.slice(0, 300);
  for (const pattern of DECLARATIONS) {
    const name = pattern.exec(text)?.[1]?.trim();
    if (name && !NOT_NAMES.has(name)) return name;
  }
  return null;
}
