// Tells from the name of a field, variable, header or option whether its value is a secret, and of what kind.

export type NamedSecret = {
  kind: string;
  /** A person may have chosen the value. */
  human: boolean;
};

type NameRule = NamedSecret & { pattern: RegExp };

const machine = (kind: string, pattern: RegExp): NameRule => ({ kind, human: false, pattern });
const human = (kind: string, pattern: RegExp): NameRule => ({ kind, human: true, pattern });

// Matched against the name in snake_case. The first match wins.
const NAMES: readonly NameRule[] = [
  machine('aws-secret-key', /(?:aws.{0,20}secret_?(?:access_?)?key|secret_access_key)$/),
  machine('aws-session-token', /(?:aws|amz)_(?:session|security)_token$/),
  machine('datadog-key', /(?:^|_)(?:dd|datadog)_(?:api|app|application)_key$/),
  machine('cloudflare-key', /(?:^|_)(?:cf|cloudflare|wrangler)_.{0,24}(?:token|key)$/),
  machine('heroku-key', /heroku.{0,24}(?:token|key)$/),
  machine('twilio-auth-token', /twilio.{0,24}(?:token|secret)$/),
  machine('vercel-token', /vercel.{0,24}(?:token|key)$/),
  machine('okta-token', /okta.{0,24}(?:token|key|secret)$/),
  machine('algolia-key', /algolia.{0,24}key$/),
  machine('cohere-key', /(?:cohere|^co)_api_key$/),
  machine('mistral-key', /mistral.{0,24}key$/),
  machine('gemini-key', /gemini.{0,24}key$/),
  machine('deepgram-key', /(?:deepgram|assemblyai).{0,24}key$/),
  machine('wandb-key', /(?:wandb|weave).{0,24}key$/),
  machine('fastly-token', /fastly.{0,24}(?:token|key)$/),
  machine('snyk-token', /snyk.{0,24}token$/),
  machine('circleci-token', /circle(?:ci)?.{0,24}token$/),
  machine('codecov-token', /codecov_token$/),
  machine('upstash-token', /(?:upstash|kv_rest).{0,24}token$/),
  machine('rollbar-token', /rollbar.{0,24}token$/),
  machine('launchdarkly-key', /(?:launchdarkly|^ld)_sdk_key$/),
  machine('authorization', /(?:^|_)authorization$/),
  machine('cookie', /(?:^|_)(?:set_)?cookie$/),
  human('client-secret', /(?:client|consumer|app|oauth2?|webhook|signing)_?secret$/),
  machine(
    'private-key',
    /(?:private|priv|ssh|rsa|ecdsa|ed25519|deploy|pre_?shared|client)_?key(?:_data)?$|(?:^|_)psk$|(?:^|_)private_key_id$/,
  ),
  machine(
    'api-key',
    /(?:api|access|secret|account|sign(?:ing|ature)?|encrypt(?:ion)?|crypto|master|auth|app|application|consumer|shared|subscription|webhook|service|role|admin|hmac|jwt|license|session|integration|write|ingest|functions?)_?keys?$/,
  ),
  human(
    'password',
    /(?:password|passwd|passphrase|passcode|passwort|kennwort|contrase[ñn]a|mot_?de_?passe|(?:^|_)senha|(?:^|_)pass|(?:^|_|db|root|user|my)pwd|(?:^|_)pw|(?:^|_)pgpass)$/,
  ),
  human('secret', /secret$/),
  machine('token', /(?:token|(?:^|_)jwt|(?:^|_)bearer|(?:^|_)pat|(?:^|_)otp_?seed|(?:^|_)totp)$/),
  machine('credential', /credentials?$/),
];

// Cursors through lists, cancellation, parsing: tokens that open nothing.
const HARMLESS =
  /(?:page|next|continuation|sync|cursor|pagination|cancel(?:l?ation)?|resume|delta|skip|scroll|marker|idempotency|request|design|syntax|prev(?:ious)?|last|first|start|stop|end|eos|bos|pad|unk|mask|lex(?:er)?|sort|primary|foreign|public|cache)_?(?:token|key|secret)$/;
const SUFFIX =
  /_(?:\d{1,3}|value|data|base64|b64|enc|prod|production|dev|development|staging|test|live|old|new|current|primary|secondary|plain|raw|default)$/;

const LONGEST_NAME = 80;
const KNOWN_LIMIT = 4096;

/** Answers are remembered: the same few names come again and again. */
export function createNameJudge(): (name: string) => NamedSecret | null {
  const known = new Map<string, NamedSecret | null>();
  return (name) => {
    if (name.length < 2 || name.length > LONGEST_NAME) return null;
    const remembered = known.get(name);
    if (remembered !== undefined) return remembered;
    if (known.size >= KNOWN_LIMIT) known.clear();
    const answer = judgeName(name);
    known.set(name, answer);
    return answer;
  };
}

function judgeName(name: string): NamedSecret | null {
  const snake = toSnakeCase(name);
  const bare = snake.replace(SUFFIX, '').replace(SUFFIX, '');
  if (HARMLESS.test(snake) || HARMLESS.test(bare)) return null;
  return NAMES.find(({ pattern }) => pattern.test(snake) || pattern.test(bare)) ?? null;
}

function toSnakeCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[-. ]/g, '_')
    .toLowerCase();
}
