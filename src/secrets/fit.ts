// Asks of a name and what follows it whether they stand to each other as a way of writing says.
import type { NamedSecret } from './name.ts';
import { isRandom } from './value.ts';

export type Name = {
  start: number;
  end: number;
  /** -name, --name. */
  isOption: boolean;
  /** Of several words, or of a script that is written without blanks. */
  isWritten: boolean;
};

export type At = { text: string; name: Name; named: NamedSecret; start: number };

const QUOTE = /["'`\\\u2018\u201c\u00ab\u300c]/;

// "Mot de passe : …" as the French write it; in code a blank before the colon is `a ? password : other`.
export function isSign({ text, name, start }: At): boolean {
  if (text.charAt(name.end) !== ' ' && text.charAt(name.end) !== '\t') return true;
  if (isLineStart({ text, name }) && /^[^\s()]{4,128}[ \t]{0,4}(?:\r?\n|$)/.test(text.slice(start, start + 140)))
    return true;
  return name.isWritten || QUOTE.test(text.charAt(start)) || !/^[ \t]{1,4}:/.test(text.slice(name.end, start));
}

// Not the C<passwd> of a manual page nor the <password> of a pattern to fill in.
export function isElement({ text, name, start }: At): boolean {
  const before = text.slice(Math.max(0, name.start - 24), name.start);
  if (!/(?:(?:^|[^\w])<(?:\w{1,12}:)?|(?:name|key|id)=\\?["'])$/i.test(before)) return false;
  const end = text.slice(start, start + 1024).search(/[<\n]/);
  return end > 0 && text.charAt(start + end) === '<';
}

// if not password:, def check_password(x):
export function isNoCode({ text, name }: At): boolean {
  return !/(?:^|\n)[ \t]*(?:if|elif|else|while|for|with|def|case|except|class)\b[^\n]*$/.test(
    text.slice(Math.max(0, name.start - 120), name.start),
  );
}

export function isBroken({ text, name, start }: At): boolean {
  return text.slice(name.end, start).includes('\n');
}

export function isHuman({ named }: At): boolean {
  return named.by === 'human';
}

export function isLineStart({ text, name }: Pick<At, 'text' | 'name'>): boolean {
  return /(?:^|\n)[ \t|│┃*>]{0,24}$/.test(text.slice(Math.max(0, name.start - 26), name.start));
}

export function isFirstArgument({ text, name, named }: At): boolean {
  return (
    named.by === 'human' &&
    /\(\s{0,20}(?:[a-z]\w{0,20},\s?)?[brufN]?\\{0,3}["'`](?:[#.]|\[?(?:name|id)=['"]?|input\[\w{1,8}=['"]?)?$/.test(
      text.slice(Math.max(0, name.start - 48), name.start),
    )
  );
}

const SETTERS =
  /^(?:ENV|ARG|proxy_set_header|(?:fastcgi|uwsgi|scgi)_param|SetEnv|RequestHeader (?:set|add)|header_up|http-request set-header|setenv|setx|export|(?:launchctl setenv)|set(?: -[a-zA-Z]{1,8}){1,3})$/;
const CONFIGURED =
  /^(?:git|npm|yarn|pnpm|aws|pulumi|heroku|flyctl|fly|vault|gh|poetry|pip|kubectl|helm|conda|redis-cli|consul|etcdctl|composer|doppler|netlify|vercel|railway|dokku|chamber|credstash|security|defaults|dotnet|nuget|bundle|glab|az|gcloud) (?=.*(?:config|set|put|write|env|secret|user-secrets)).*$/;

/** Words before a command: `Error: `, `Note 3: `, `Changed it. `, `then run `. */
const LABEL = /^.*(?:[:.!] |\b(?:run|ran|try|then|with|by) )(?=[A-Za-z$])/;

/** The command that the name stands in sets it to what follows. */
export function isSet({ text, name }: At): boolean {
  const words = text
    .slice(startOfCommand(text, name.start), startOfWord(text, name.start))
    .replace(/^.*\\n/, '')
    .replace(/[ \t]+/g, ' ')
    .replace(LABEL, '')
    .replace(/^ ?(?:RUN |sudo |[$>#] )*/, '')
    .replace(/ ?["']?$/, '');
  return words.length > 1 && (SETTERS.test(words) || CONFIGURED.test(words));
}

// Both looked for by hand: a pattern that ends in $ is tried at every place before the end.
function startOfCommand(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < 120 && !'\n;&|(`'.includes(text.charAt(start - 1))) start--;
  return start;
}

function startOfWord(text: string, end: number): number {
  let start = end;
  while (start > 0 && end - start < 120 && /[\w./:-]/.test(text.charAt(start - 1))) start--;
  return start;
}

/** A name of one word that is no word of a language, at the start of a line. */
export function isDirective({ text, name }: At): boolean {
  if (!/^(?:[a-z]{2,12}(?:pass|pwd?|auth)|[a-z]+(?:[._-][a-z]+)+)$/i.test(text.slice(name.start, name.end)))
    return false;
  return /(?:^|\n)[ \t]{0,16}$/.test(text.slice(Math.max(0, name.start - 18), name.start));
}

export const NETRC = /\blogin\s{1,20}[\w@.+-]{1,100}\s{1,20}$/;
export const ACCOUNT =
  /\b(?:login|user(?:name)?|account|benutzer|usuario|utilisateur)[\s:=]{1,4}[\w@.+-]{1,100}[,;]?\s{1,4}(?:(?:and|with|und|mit|et|y)\s)?$/i;

export function isAfter({ text, name, named }: At, lead: RegExp): boolean {
  return named.by !== 'machine' && lead.test(text.slice(Math.max(0, name.start - 160), name.start));
}

const HANDED =
  /\b(?:use|using|with|try|enter|paste|nutze|benutze|verwende|mit|utilise|avec|usa|usar|con|com|gebruik|met|используй|с)\s(?:(?:the|this|that|my|our|your|den|das|le|la|el|o)\s)?(?:[\w-]{1,20}\s)?$/i;

/** `use token …`: only what looks as if a generator had made it. */
export function isHandedOver({ text, name, start }: At): boolean {
  return isMade(text, start) && HANDED.test(text.slice(Math.max(0, name.start - 48), name.start));
}

/** A few words say what a password is for, and no verb stands before it. */
export function isNamedFor({ text, named, start }: At): boolean {
  return named.by === 'human' && isMade(text, start);
}

function isMade(text: string, start: number): boolean {
  const word =
    /^[^\s()<>{}=/"'`]{8,64}(?=\s|$)/.exec(text.slice(start, start + 66))?.[0].replace(/[.,;:!?]+$/, '') ?? '';
  return /[a-z]/.test(word) && /[A-Z]/.test(word) && isRandom(word);
}
