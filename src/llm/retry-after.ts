// When a provider may be asked again, by the headers of its refusal.

const LONGEST_MS = 7 * 24 * 3_600_000;

/** Epoch ms; null when the headers do not say, or name a time that has passed. Never more than seven days from now. */
export function readRetryAfter(headers: Headers, now: number): number | null {
  const until = readWait(headers, now) ?? readDate(headers.get('retry-after')) ?? latestReset(headers);
  return until === null ? null : clampUntil(until, now);
}

export function clampUntil(until: number, now: number): number | null {
  return until > now ? Math.min(until, now + LONGEST_MS) : null;
}

function readWait(headers: Headers, now: number): number | null {
  const ms = readNumber(headers.get('retry-after-ms'));
  if (ms !== null) return now + ms;
  const seconds = readNumber(headers.get('retry-after'));
  return seconds === null ? null : now + seconds * 1000;
}

/** Each limit of Anthropic tells its own reset; those that are used up count, or all when none says so. */
function latestReset(headers: Headers): number | null {
  const limits = [...headers.keys()].flatMap((name) => /^(anthropic-ratelimit-.+)-reset$/.exec(name)?.[1] ?? []);
  const usedUp = limits.filter((limit) => headers.get(`${limit}-remaining`) === '0');
  const counting = usedUp.length > 0 ? usedUp : limits;
  const resets = counting.flatMap((limit) => readDate(headers.get(`${limit}-reset`)) ?? []);
  return resets.length === 0 ? null : Math.max(...resets);
}

function readDate(text: string | null): number | null {
  const seconds = readNumber(text);
  if (seconds !== null) return seconds * 1000;
  const time = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? null : time;
}

function readNumber(text: string | null): number | null {
  return text !== null && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null;
}
