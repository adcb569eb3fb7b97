// Finds the value that belongs to a name: what stands between the two, in every way of writing that puts one beside the other.
import {
  ACCOUNT,
  type At,
  isAfter,
  isBroken,
  isDirective,
  isElement,
  isFirstArgument,
  isHandedOver,
  isHuman,
  isLineStart,
  isNamedFor,
  isNoCode,
  isSet,
  isSign,
  NETRC,
} from './fit.ts';
import type { Language } from './name.ts';

/**
 * How the value is written there: `code` may also hold an expression; `literal` holds plain values only; `sentence` may go on with
 * other words, `beside` even more so; `list` may be words in a row; `call` takes the last text of several, `argument` the next; `block` are the lines below that stand further in; `element` ends at a tag.
 */
export type Place = {
  how: 'code' | 'literal' | 'sentence' | 'list' | 'call' | 'argument' | 'block' | 'element' | 'beside';
  start: number;
};

type Way = { how: Place['how']; after: RegExp; isFit?: (at: At) => boolean };

const BREAK = String.raw`(?:\s|\\[nrt])`;
// The next line, and in it one word.
const BELOW = String.raw`[ \t]{0,4}\r?\n(?:\r?\n)?(?:\x60{3}\w{0,10}\r?\n)?[ \t>]{0,8}(?=[^\s()[\]{};=<>]{6,200}[ \t]{0,8}(?:\r?\n|$))`;

// Each begins right after the name. The first that fits decides. Made when the first name is found, not when a worker starts.
const listWays = (): Way[] => [
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
      String.raw`(?:\\{0,3}["'${'`'}])?(?:[ \t]{0,4}\{)?(?:,?${BREAK}{1,40}|,)(?:\\{0,3}["'])?(?:(?:parameter_?|default_?|string_?|secret_?)?value|default|content|secret_?string)(?:\\{0,3}["'])?[ \t]{0,4}[:=][ \t]{0,4}`,
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
  // setPassword("…"), apiKey("…")
  {
    how: 'call',
    after: /\(\s{0,20}(?=[\w.]{0,40},?\s{0,20}\\{0,3}["'`])/y,
    isFit: ({ text, named, start }) =>
      named.by === 'human' || /^.?["'`][\w+/=.~:-]{20,}["'`]\s?\)/.test(text.slice(start, start + 300)),
  },
  // env.PASSWORD || "…", getenv("PASSWORD") ?? "…"
  {
    how: 'code',
    after: /(?:\\{0,3}["'`])?[\])]{0,2}[ \t]{0,2}(?:\|\||\?\?|\?:|(?<=[\])] )or)[ \t]{0,2}(?=\\{0,3}["'`])/y,
  },
  // password = []byte("…"), String::from("…"): what only wraps a text
  {
    how: 'code',
    after:
      /[ \t]{0,4}(?::=|=>|=|:)[ \t]{0,4}(?:new )?(?:\[\]byte|(?:std::)?[sS]tring(?:::from)?|Buffer\.from|bytes|bytearray|Secret(?:Str(?:ing)?)?(?:::new|::from)?|SecureString|OsString::from|Some|Just|pulumi\.secret|sensitive|MD5|SHA[12]|PASSWORD|ENCRYPT|Hash::make|bcrypt|md5|sha1)\(\s{0,8}(?=[bru]{0,2}\\{0,3}["'`])/y,
  },
  // password:s:…, of a remote desktop
  { how: 'literal', after: /(?: 51)?:[sb]:(?=\S)/y },
  // Password:, and the password alone in the line below
  { how: 'sentence', after: new RegExp(String.raw`[ \t]{0,2}:${BELOW}`, 'y'), isFit: isNoCode },
  // password =, and a text in quotes in the line below
  { how: 'code', after: /\s{0,24}(?::=|=>|=)[ \t]{0,4}\(?\s{0,24}(?=\\{0,3}["'`])/y, isFit: isBroken },
  // args: [--password, …] in YAML
  { how: 'literal', after: /["']?\r?\n[ \t]{0,24}-[ \t]{1,2}(?=\S)/y, isFit: ({ name }) => name.isOption },
  // &quot;password&quot;:&quot;…
  {
    how: 'code',
    after:
      /(?:&quot;|\\u0022|&#3[49];)?[ \t]?(?:[:=]|&#58;|&#61;)[ \t]?(?:&quot;|\\u0022|&#3[49];)|&#(?:58|61);[ \t]?/y,
  },
  // <b>Password:</b> …, Password: <code>…
  { how: 'sentence', after: /:?(?:<\/\w{1,12}>){1,2}:?[ \t]{0,4}(?:<\w{1,12}>)?(?=[^\s<])/y },
  { how: 'element', after: /:[ \t]{0,2}<(?:code|b|strong|kbd|tt|pre|span|td|em|i)>/y },
  // Password ........ …
  { how: 'sentence', after: /[ \t]?\.{3,60}:?[ \t]{1,2}(?=\S)/y },
  // %22password%22%3A%22…%22
  { how: 'literal', after: /%(?:25)?22%(?:25)?3[Aa](?:%(?:25)?20|\+)?%(?:25)?22/y },
  // variable "password" { default = "…" }, "password": { "value": "…" }
  {
    how: 'code',
    after:
      /\\{0,3}["']?[ \t]{0,4}[:=]?[ \t]{0,4}\{[^{}]{0,200}?(?<=[\s,{"'])(?:default|value|defaultValue)\\{0,3}["']?[ \t]{0,8}[:=][ \t]{0,4}(?=\\{0,3}["'`])/y,
  },
  // password:, and default: … below it
  {
    how: 'code',
    after: /["']?:[ \t]{0,4}\r?\n(?:[ \t]{1,24}\w{1,30}:[^\n]{0,80}\n){0,4}?[ \t]{1,24}(?:default|value):[ \t]{1,4}/iy,
  },
  // api_token | …: a row of a table of two columns
  { how: 'beside', after: /[ \t]{0,40}[|│┃][ \t]{1,4}(?=\S{5,300}[ \t]{0,200}(?:[|│┃]|\r?\n|$))/y, isFit: isLineStart },
  // password = …, password: …, "password" => …, password：…
  {
    how: 'code',
    after:
      /(?:\\{0,3}["'`\u2019\u201d\u300d]|\*{1,2})?(?:\[\d{0,4}\]|[\])])?\??[ \t]{0,4}(?::[=-]|\?=|\+=|=>|->|<-|→|={1,3}|[:：＝]|%3[ADad])[ \t\u3000]{0,32}(?:\*\*)?[ \t]{0,2}(?:%(?:25)?22)?/y,
    isFit: isSign,
  },
  // define("password", "…"), fill('#password', '…')
  { how: 'argument', after: /\\{0,3}["'`\]]{1,4},\s{0,20}(?=N?\\{0,3}["'`])/y, isFit: isFirstArgument },
  { how: 'list', after: /\\{0,3}["'`]\]?,[ \t]{0,20}(?=\\{0,3}["'`])/y },
  // get('#password').fill('…')
  {
    how: 'argument',
    after: /\\{0,3}["'`\]]{1,4}\)\s{0,20}\.\w{1,24}\(\s{0,8}(?=\\{0,3}["'`])/y,
    isFit: isHuman,
  },
  // --password …
  {
    how: 'literal',
    after: /(?:[ \t]{1,4}|\\{0,3}["'],\s{0,8}(?=\\{0,3}["']))(?:\\\r?\n[ \t]{0,16})?(?=[^\s-])/y,
    isFit: ({ name }) => name.isOption,
  },
  // WITH PASSWORD '…'
  {
    how: 'literal',
    after: /[ \t]{1,4}(?:(?:FOR|for)[ \t]{1,4}\S{1,80}[ \t]{1,4})?(?:=[ \t]{0,4})?(?=N?')/y,
    isFit: isHuman,
  },
  // --name PASSWORD --value …
  { how: 'literal', after: /["']?[ \t]{1,4}--?[vV]alue[ =:][ \t]{0,2}(?=\S)/y },
  // ENV PASSWORD …, set -x PASSWORD …, config set password …
  { how: 'literal', after: /["']?[ \t]{1,40}(?=[^\s=:-])/y, isFit: isSet },
  // requirepass …, bindpw …: a line of a configuration
  { how: 'literal', after: /[ \t]{1,8}(?=[^\s=:]{3,200}[ \t]{0,8}(?:\r?\n|$))/y, isFit: isDirective },
  // login joe password …, of a .netrc and of a sentence
  { how: 'literal', after: /\s{1,20}(?=\S)/y, isFit: (at) => isAfter(at, NETRC) },
  { how: 'sentence', after: /[ \t]{1,4}(?=\S)/y, isFit: (at) => isAfter(at, ACCOUNT) },
];

/** In quotes, or with a digit in it: else it is a word of the sentence. */
const mayBeSpoken = (text: string, start: number): boolean =>
  /^(?:\\{0,3}["'`\u201c\u300c\u00ab*]|\S{0,64}\d)/.test(text.slice(start, start + 70));

const ANNOUNCED = new RegExp(String.raw`[^\n\d]{0,120}(?::|below|following)${BELOW}`, 'y');

/** The verbs of sentences are data; a sentence may say a few words more before it. */
export function createPlaceFinder(languages: readonly Language[]): (at: At) => Place | null {
  const verbs = [...new Set(languages.flatMap((language) => language.verbs))];
  const isWord = (verb: string): boolean =>
    /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Devanagari}' —]+$/u.test(
      verb,
    );
  const [apart, joined] = [verbs.filter(isWord), verbs.filter((verb) => !isWord(verb) && verb !== '=')];
  const few = '(?:[ \\t]{1,2}\\(?[^\\s:=,;"\'`<>|{}]{1,30})';
  const after = new RegExp(
    `(?:${few}{0,5}?[ \\t]{1,2}(?:${apart.join('|')})(?: now)?:?[ \\t]{1,2}(?:(?:generated|set|changed|reset|updated)(?:[ \\t][^\\s:]{1,60}){0,4}?(?:[ \\t]to|:)[ \\t]{1,2})?|[ \\t]{0,2}(?:${joined.join('|')})[ \\t:：]{0,3}|[ \\t]{1,2}[–-][ \\t]{1,2})(?=\\S)`,
    'iy',
  );
  const isSpoken = ({ named, text, start }: At) => named.by !== 'word' && mayBeSpoken(text, start);
  const ways: Way[] = [
    ...listWays(),
    // Password for joe: and the line below it
    { how: 'sentence', after: ANNOUNCED, isFit: isNoCode },
    { how: 'sentence', after, isFit: isSpoken },
    // password for the wiki: …
    { how: 'sentence', after: new RegExp(`${few}{1,4}?:[ \\t]{1,2}(?=\\S)`, 'y'), isFit: isSpoken },
    // use token …; пароль от базы …
    { how: 'sentence', after: /[ \t]{1,2}(?=\S)/y, isFit: isHandedOver },
    {
      how: 'sentence',
      after: /(?:[ \t]{1,2}[^\s:=,;"'`<>|{}()]{1,20}){1,6}?[ \t]{1,2}(?=\S{0,64}\d)(?=\S{0,64}[A-Z])(?=\S{8})/y,
      isFit: isNamedFor,
    },
    {
      how: 'beside',
      after: /\*{0,2}[ \t]{1,3}(?=["'`\u201c\u300c\u00ab\w])/y,
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
