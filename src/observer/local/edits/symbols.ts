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

/** `KEY = value`, `key: value`, `"key": value`: the key and its value, or null. */
export function assignment(line: string): { key: string; value: string } | null {
  const text = line.trim().slice(0, 200);
  const pinned = PINNED.map((pattern) => pattern.exec(text)).find((one) => one !== null);
  if (pinned?.[1] && pinned[2]) return { key: pinned[1], value: pinned[2] };
  const found =
    /^(?:export\s+|pub\s+|static\s+|final\s+|private\s+|public\s+|readonly\s+)*(?:const\s+|let\s+|var\s+|val\s+)?["']?([\w$.@/-]{2,60})["']?\s*(?::\s*[\w<>[\]|]{1,30}\s*=|[:=])\s*([^=>].{0,100}?)[,;]?$/.exec(
      text,
    );
  return found?.[1] && found[2] ? { key: found[1], value: found[2] } : null;
}

/** A package and its version as requirements files, Gradle plugins and image names write them. */
const PINNED: RegExp[] = [
  /^([\w.-]{2,60})==(\d[\w.+-]{0,40})(?:\s|$)/,
  /^id[ (]['"]([\w.-]{2,80})['"]\)? version ['"]([\w.+-]{1,40})['"]/,
  /^(?:FROM|image:)\s+([\w./-]{2,100}):([\w.-]{1,60})(?:\s|$)/,
];
