// Judges a value that stands beside a telling name: is it a secret, or code, a placeholder, a path, a label?

import type { By } from './name.ts';

export type ValueForm = {
  /** Stood in quotes, or is a string of a JSON value. */
  quoted: boolean;
  /** A person may have chosen a plain word; a login is user:password in base64. */
  by: By;
  /** The place is one where only plain values stand (NAME=value in an environment, a query string, an option). */
  literal: boolean;
};

const PLACEHOLDER =
  /^(?:\$[\w({]|\$\$|%[({]?\w*[)}%]?s?$|[<{[(].*[>}\])]$|\{\{|#\{|@\{|:[\w:]+$|\?$|(?:your|example|placeholder|dummy|redacted|insert|replace|enter|change|my|some|the|test|fake|mock|sample)(?:[-_ .]|me|d|$)|<?(?:none|null|nil|undefined|true|false|yes|no|on|off|empty|unset|required|optional|hidden|masked|removed)>?$|process\.env|import\.meta|os\.(?:environ|getenv)|std::env|env[.([]|(?:secrets|vars|github|config|settings|self|this|ctx|opts|options|props|args|params|req|request|res|response|data)\.)/i;
const TEMPLATE =
  /\$\{|\{\{|<%[=-]?\s|#\{|\$\(|\[secret:|\.{3}|\u2026|x{6}|\*{4}|(?:^|[-_ <])(?:here|your|changeme|example|placeholder|dummy|redacted|xxx+)(?:$|[-_ >])/i;
const WORDS_OF_CODE =
  /^(?:string|str|text|number|int|integer|bool|boolean|any|unknown|never|void|object|bytes?|buffer|char|varchar|password|passwd|passphrase|passwort|kennwort|contrase[ñn]a|mot|senha|erforderlich|falsch|vergessen|ungültig|requerida|obligatoria|incorrecta|olvidada|oublié|requis|obrigatória|incorreta|esquecida|pass|pwd|secret|token|apikey|api_key|key|value|input|type|name|field|label|include|omit|same-origin|current-password|new-password|one-time-code|current|new|old|default|basic|bearer|invalid|missing|wrong|incorrect|expired|changed|failed|passed|ok|valid|not|is|the|and|or|to|for|from|with|of|in|if|must|should|cannot|will|was|are|stdin|file|prompt|env|auto|options?|flags?|arguments?|parameter|switch|when|which|that|instead|hash|function|const|let|var|return|await|new)$/i;
const CODE_NAME = /^[A-Za-z_$][\w$]*(?:\??[.:]{1,2}[A-Za-z_$][\w$]*)+$/;
const PATH = /^(?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/]|(?:https?|file):\/\/)[^\s]*$/;

export function isSecretValue(value: string, form: ValueForm): boolean {
  if (value.length < 3 || isPlaceholder(value) || WORDS_OF_CODE.test(value) || PATH.test(value)) return false;
  if ((/^[A-Z][A-Z_]*$/.test(value) && !form.literal) || /^(?:0x[\da-f]{1,8}|\d+(?:\.\d+)+)$/i.test(value))
    return false;
  if (form.by === 'login') return isUserAndPassword(value);
  if (form.by === 'word' && /[^!-~]/.test(value)) return false;
  return form.by === 'machine' ? isMachineSecret(value, form) : isPassword(value, form);
}

export function isPlaceholder(value: string): boolean {
  return value === '' || PLACEHOLDER.test(value) || TEMPLATE.test(value) || new Set(value.slice(0, 64)).size < 3;
}

/** How often the kind of character changes (small, capital, digit, sign): words have few changes, random text many. */
export function mixture(value: string): number {
  let changes = 0;
  let last = 0;
  for (let i = 0; i < Math.min(value.length, 64); i++) {
    const kind = kindOf(value.charCodeAt(i));
    // A capital that begins a word of camelCase is no sign of chance.
    if (last !== 0 && kind !== last && !(last === 2 && kind === 1)) changes++;
    last = kind;
  }
  return changes;
}

function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return 1;
  if (code >= 65 && code <= 90) return 2;
  return code >= 48 && code <= 57 ? 3 : 4;
}

function isPassword(value: string, form: ValueForm): boolean {
  if (/\s/.test(value)) return form.quoted && !isLabel(value);
  // A command of PowerShell.
  if (!form.quoted && /^[A-Z][A-Za-z]+-[A-Z][A-Za-z]+$/.test(value)) return false;
  if (form.quoted) return !isReference(value);
  if (form.literal) return !CODE_NAME.test(value) || /\d/.test(value);
  return (
    /[^\p{L}_.]/u.test(value) &&
    !CODE_NAME.test(value) &&
    !/^(?:[([{|&*+=;,)]|[!~-]+[A-Za-z_$])/.test(value) &&
    value.length >= 4
  );
}

// "Enter your password", "Mot de passe": what a form shows.
function isLabel(value: string): boolean {
  return (
    (/^\p{Lu}/u.test(value) && !/\d/.test(value)) ||
    value.split(/\s+/).length > 8 ||
    /^(?:is|are|must|should|can|has|the|at|please|not) /.test(value) ||
    /passw|kennwort|contrase|mot de passe|senha|passphrase|secret|token|[.?!:]$|\u2026/i.test(value)
  );
}

// auth.password.label, #password, input[name=x], /regex/: the value names another thing.
function isReference(value: string): boolean {
  if (/^[a-z]+(?:[A-Z][a-z]+){0,6}(?:Password|Secret|Token|Key)$/.test(value)) return true;
  return (/^[a-z]+(?:[.:][A-Za-z_]+)+$/.test(value) || /^[#.[/][\w-]*[\w\]/=-]*$/.test(value)) && !/\d/.test(value);
}

function isMachineSecret(value: string, form: ValueForm): boolean {
  if (isDense(value)) return true;
  if (value.length < 8 || value.length > 8192 || /\s|abcdefghijklmnopqrstuvwxyz/i.test(value)) return false;
  const changes = mixture(value);
  if ((CODE_NAME.test(value) && changes < 10) || isWords(value)) return false;
  if (form.literal)
    return /\d/.test(value) ? value.length >= 12 || changes >= 2 : value.length >= 16 && changes * 4 >= value.length;
  // Brackets and backslashes: a regular expression, a type, a call.
  if (/[\\()[\]{}<>^"'`]/.test(value)) return false;
  if (!/\d/.test(value)) return form.quoted && value.length >= 16 && changes * 4 >= value.length;
  return form.quoted ? changes >= 2 || value.length >= 24 : value.length >= 16 && changes >= 3;
}

/** As many kinds of signs as a generator uses, brackets and blanks among them: no text and no pattern is like that. */
function isDense(value: string): boolean {
  const length = Math.min(value.length, 64);
  return (
    value.length >= 32 &&
    value.length <= 256 &&
    mixture(value) * 9 >= length * 4 &&
    new Set(value.match(/\d/g)).size >= 3
  );
}

/** Looks like nothing that a person wrote. */
export function isRandom(value: string): boolean {
  return (
    value.length >= 8 &&
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    mixture(value) >= 3 &&
    !isWords(value) &&
    !isPlaceholder(value)
  );
}

// my-app-token-v2, rsa-sha2-512, refresh_token_expired: words joined by signs, with short numbers at most.
function isWords(value: string): boolean {
  return (
    /^(?:[A-Za-z]{0,20}\d{0,4})(?:[-_./: ][A-Za-z]{0,20}\d{0,4})+$/.test(value) && !/\d[-_./: ]?[A-Za-z]+\d/.test(value)
  );
}

export const isCodeName = (value: string): boolean => CODE_NAME.test(value);

export function isUserAndPassword(base64: string): boolean {
  try {
    return /^[\x20-\x7e]{1,200}:[\x20-\x7e]{1,200}$/.test(atob(base64));
  } catch {
    return false; // not base64, so an ordinary word
  }
}
