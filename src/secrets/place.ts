// Finds the value that belongs to a name: what stands between the two, in every way of writing that puts one beside the other.
import type { Language, NamedSecret } from './name.ts';

export type Name = {
  start: number;
  end: number;
  /** -name, --name. */
  isOption: boolean;
  /** Of several words, or of a script that is written without blanks. */
  isWritten: boolean;
};

/**
 * How the value is written there: `code` may also hold an expression; `literal` holds plain values only; `sentence` may go on with
 * other words, `beside` even more so; `list` may be words in a row; `call` takes the last text of several, `argument` the next; `block` are the lines below that stand further in; `element` ends at a tag.
 */
export type Place = {
  how: 'code' | 'literal' | 'sentence' | 'list' | 'call' | 'argument' | 'block' | 'element' | 'beside';
  start: number;
};

type Way = { how: Place['how']; after: RegExp; isFit?: (at: At) => boolean };
type At = { text: string; name: Name; named: NamedSecret; start: number };

const QUOTE = /["'`\\\u2018\u201c\u00ab\u300c]/;
const BREAK = String.raw`(?:\s|\\[nrt])`;

// Each begins right after the name. The first that fits decides.
const WAYS: readonly Way[] = [
  // password: string = "…"
  {
    how: 'code',
    after:
      /(?:\??:[ \t]{0,4}&?(?:'static )?[A-Za-z_][\w.<>|[\] ]{0,40}|[ \t]{1,4}(?:string|\[\]byte|As[ \t]{1,4}\w{1,20})[ \t]{0,4})=[ \t]{0,4}(?=\\{0,3}["'`])/y,
  },
  // name: DB_PASSWORD, and value: … below it, in YAML, JSON, XML and HTML
  {
    how: 'code',
    after: new RegExp(
      String.raw`(?:\\{0,3}["'${'`'}])?(?:[ \t]{0,4}\{)?(?:,?${BREAK}{1,40}|,)(?:\\{0,3}["'])?(?:value|default|content)(?:\\{0,3}["'])?[ \t]{0,4}[:=][ \t]{0,4}`,
      'iy',
    ),
  },
  // <key>password</key> <string>…</string>; <name>…</name> <value>…</value>
  { how: 'element', after: /<\/[\w:.-]{1,40}>\s{0,40}<[\w:.-]{1,40}(?:\s[^<>\n]{0,80})?>\s{0,40}(?:<!\[CDATA\[)?/y },
  // <string name="password">…</string>, <password>…</password>
  {
    how: 'element',
    after: /(?:\\?["'])?(?:\s[^<>\n]{0,120})?>\s{0,40}(?:<value>)?(?:<!\[CDATA\[)?/y,
    isFit: isElement,
  },
  // password: |
  {
    how: 'block',
    after: /["']?:[ \t]{1,8}(?:![\w!./:-]{0,40}[ \t]{1,4})?[|>][+-]?\d?[+-]?[ \t]{0,8}(?:#[^\n]{0,200})?\r?\n/y,
  },
  // password: !!str …, password: &anchor …
  { how: 'literal', after: /["']?:[ \t]{1,8}(?:![\w!./:-]{1,40}|&[\w-]{1,40})[ \t]{1,4}(?=\S)/y },
  // setPassword("…")
  {
    how: 'call',
    after: /\(\s{0,20}(?=[\w.]{0,40},?\s{0,20}\\{0,3}["'`])/y,
    isFit: ({ named }) => named.by === 'human',
  },
  // password = …, password: …, "password" => …, password：…
  {
    how: 'code',
    after:
      /(?:\\{0,3}["'`\u201d\u300d]|\*{1,2})?[\])]?\??[ \t]{0,4}(?::=|\?=|\+=|=>|->|→|={1,3}|[:：＝]|%3[ADad])[ \t\u3000]{0,8}(?:\*\*)?[ \t]{0,2}/y,
    isFit: isSign,
  },
  // define("password", "…"), fill('#password', '…')
  { how: 'argument', after: /\\{0,3}["'`\]]{1,4},\s{0,20}(?=N?\\{0,3}["'`])/y, isFit: isFirstArgument },
  { how: 'list', after: /\\{0,3}["'`]\]?,[ \t]{0,20}(?=\\{0,3}["'`])/y },
  // get('#password').fill('…')
  {
    how: 'argument',
    after: /\\{0,3}["'`\]]{1,4}\)\s{0,20}\.\w{1,24}\(\s{0,8}(?=\\{0,3}["'`])/y,
    isFit: ({ named }) => named.by === 'human',
  },
  // --password …
  {
    how: 'literal',
    after: /(?:[ \t]{1,4}|\\{0,3}["'],\s{0,8}(?=\\{0,3}["']))(?:\\\r?\n[ \t]{0,16})?(?=[^\s-])/y,
    isFit: ({ name }) => name.isOption,
  },
  // WITH PASSWORD '…'
  { how: 'literal', after: /[ \t]{1,4}(?:=[ \t]{0,4})?(?=N?')/y, isFit: ({ named }) => named.by === 'human' },
  // --name PASSWORD --value …
  { how: 'literal', after: /["']?[ \t]{1,4}--?[vV]alue[ =:][ \t]{0,2}(?=\S)/y },
  // ENV PASSWORD …, set -x PASSWORD …, config set password …
  { how: 'literal', after: /["']?[ \t]{1,40}(?=[^\s=:])/y, isFit: isSet },
  // requirepass …, bindpw …: a line of a configuration
  { how: 'literal', after: /[ \t]{1,8}(?=[^\s=:]{3,200}[ \t]{0,8}(?:\r?\n|$))/y, isFit: isDirective },
  // login joe password …, of a .netrc and of a sentence
  { how: 'literal', after: /\s{1,20}(?=\S)/y, isFit: (at) => isAfter(at, NETRC) },
  { how: 'sentence', after: /[ \t]{1,4}(?=\S)/y, isFit: (at) => isAfter(at, ACCOUNT) },
];

/** The verbs of sentences are data; a sentence may say a few words more before it. */
export function createPlaceFinder(languages: readonly Language[]): (at: At) => Place | null {
  const verbs = [...new Set(languages.flatMap((language) => language.verbs))];
  const isWord = (verb: string): boolean =>
    /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}' —]+$/u.test(
      verb,
    );
  const [apart, joined] = [verbs.filter(isWord), verbs.filter((verb) => !isWord(verb) && verb !== '=')];
  const after = new RegExp(
    `(?:(?:[ \\t]{1,2}[^\\s:=,;"'\`<>|{}]{1,30}){0,5}?[ \\t]{1,2}(?:${apart.join('|')})(?: now)?:?[ \\t]{1,2}|(?:[ \\t]{1,2}\\(?[^\\s:=,;"'\`<>|{}]{1,30}){1,4}?:[ \\t]{1,2}|[ \\t]{0,2}(?:${joined.join('|')})[ \\t:：]{0,3}|[ \\t]{1,2}[–-][ \\t]{1,2})(?=\\S)`,
    'iy',
  );
  const ways: Way[] = [
    ...WAYS,
    { how: 'sentence', after, isFit: ({ named }) => named.by !== 'word' },
    {
      how: 'beside',
      after: /\*{0,2}[ \t]{1,3}(?=["'`\u201c\u300c\w])/y,
      isFit: ({ name, named }) => named.by === 'human' || (name.isWritten && named.by === 'machine'),
    },
  ];
  return (at) => {
    for (const { how, after: pattern, isFit } of ways) {
      pattern.lastIndex = at.name.end;
      if (!pattern.test(at.text)) continue;
      const start = pattern.lastIndex;
      if (isFit === undefined || isFit({ ...at, start })) return { how, start };
    }
    return null;
  };
}

// "Mot de passe : …" as the French write it; in code a blank before the colon is `a ? password : other`.
function isSign({ text, name, start }: At): boolean {
  if (text.charAt(name.end) !== ' ' && text.charAt(name.end) !== '\t') return true;
  return name.isWritten || QUOTE.test(text.charAt(start)) || !/^[ \t]{1,4}:/.test(text.slice(name.end, start));
}

// Not the C<passwd> of a manual page nor the <password> of a pattern to fill in.
function isElement({ text, name, start }: At): boolean {
  const before = text.slice(Math.max(0, name.start - 24), name.start);
  if (!/(?:(?:^|[^\w])<(?:\w{1,12}:)?|(?:name|key|id)=\\?["'])$/i.test(before)) return false;
  const end = text.slice(start, start + 1024).search(/[<\n]/);
  return end > 0 && text.charAt(start + end) === '<';
}

function isFirstArgument({ text, name, named }: At): boolean {
  return (
    named.by === 'human' &&
    /\(\s{0,20}(?:[a-z]\w{0,20},\s?)?[brufN]?\\{0,3}["'`](?:[#.]|\[?(?:name|id)=['"]?|input\[\w{1,8}=['"]?)?$/.test(
      text.slice(Math.max(0, name.start - 48), name.start),
    )
  );
}

const SETTERS = /^(?:ENV|setenv|setx|export|(?:launchctl setenv)|set(?: -[a-zA-Z]{1,8}){1,3})$/;
const CONFIGURED =
  /^(?:git|npm|yarn|pnpm|aws|pulumi|heroku|flyctl|fly|vault|gh|poetry|pip|kubectl|helm|conda|redis-cli|consul|etcdctl|composer|doppler|netlify|vercel|railway|dokku|chamber|credstash|security|defaults|dotnet|nuget|bundle|glab|az|gcloud) (?=.*(?:config|set|put|write|env|secret|user-secrets)).*$/;

/** The command that the name stands in sets it to what follows. */
function isSet({ text, name }: At): boolean {
  const lead = text.slice(Math.max(0, name.start - 120), name.start);
  const words = lead
    .slice(lead.search(/[^\n;&|(`]*$/))
    .replace(/^.*\\n/, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/^ ?(?:RUN |sudo |[$>#] )*/, '')
    .replace(/ ?["']?[\w./:-]*$/, '');
  return words.length > 1 && (SETTERS.test(words) || CONFIGURED.test(words));
}

/** A name of one word that is no word of a language, at the start of a line. */
function isDirective({ text, name }: At): boolean {
  if (!/^(?:[a-z]{2,12}(?:pass|pwd?|auth)|[a-z]+(?:[._-][a-z]+)+)$/i.test(text.slice(name.start, name.end)))
    return false;
  return /(?:^|\n)[ \t]{0,16}$/.test(text.slice(Math.max(0, name.start - 18), name.start));
}

const NETRC = /\blogin\s{1,20}[\w@.+-]{1,100}\s{1,20}$/;
const ACCOUNT =
  /\b(?:login|user(?:name)?|account|benutzer|usuario|utilisateur)[\s:=]{1,4}[\w@.+-]{1,100}[,;]?\s{1,4}(?:(?:and|with|und|mit|et|y)\s)?$/i;

function isAfter({ text, name, named }: At, lead: RegExp): boolean {
  return named.by !== 'machine' && lead.test(text.slice(Math.max(0, name.start - 160), name.start));
}
