// An error without what is different each time: numbers, places, times, temporary names.

/** Less than this says too little to be known again. */
const FEWEST_WORDS = 2;
const LENGTH = 300;

/** One line in lower case; null when nothing is left that tells it from others. */
export function shapeOf(text: string): string | null {
  let shape = text.slice(0, LENGTH);
  for (const [pattern, instead] of SWAPS) shape = shape.replace(pattern, instead);
  shape = shape.toLowerCase().replace(/\s+/g, ' ').trim();
  return isTelling(shape) ? shape : null;
}

/** In this order. Bounded repeats: a hostile line takes no longer than another. */
const SWAPS: [RegExp, string][] = [
  // Times and dates, with or without brackets; a log's mark before the message.
  [/\[?\b\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)?(?:Z|[+-]\d\d:?\d\d)?\]?/g, ' '],
  [/\[?\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?\]?(?: ?[AP]M\b)?/g, ' '],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, 'U'],
  // An address keeps its host and its path, not its port and its question.
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)(?:[^\s/@'"]{1,100}@)?([^\s/:'"`)]{1,200})(?::\d{1,5})?/gi, '$1$2'],
  [/(:\/\/[^\s?#'"`)]{1,300})[?#][^\s'"`)]{0,300}/g, '$1'],
  [/\b0x[0-9a-f]{1,16}\b/gi, '0x'],
  [/\b(?:sha\d{1,3}:)?(?=[0-9a-f]{0,63}\d)[0-9a-f]{7,64}\b/gi, 'H'],
  // A path is its last name; a temporary one is none.
  [/(?<![\w:/])(?:[A-Za-z]:)?[\\/](?:private[\\/])?(?:tmp|var[\\/]folders)[\\/][^\s'"`,;:)\]]{1,300}/g, 'T'],
  [/(?<![\w:/@])(?:[A-Za-z]:\\|~?\/|\.{1,2}\/)(?:[^\s'"`,;:()[\]\\/]{1,100}[\\/]){0,30}(?=[^\s'"`,;:()[\]\\/])/g, ''],
  [/(?<![\w:/@.-])(?:[\w.@-]{1,60}\/){1,30}(?=[\w@-]{1,80}\.\w{1,6}\b)/g, ''],
  [/(\.\w{1,6})(?:[:(]\[?\d{1,7}(?:[,:]\d{1,7})?[\])]?|, line \d{1,7})/g, '$1'],
  [/\bline \d{1,7}(?:,? col(?:umn)? \d{1,7})?/gi, 'line'],
  // How long it took, and all other figures that are no part of a name; a status of the web tells.
  [/\b\d{1,12}(?:\.\d{1,9})? ?(?:ms|µs|ns|s|sec|secs|seconds?|minutes?|m)\b/g, '0'],
  [/\b(status(?: code)?|http(?:\/\d(?:\.\d)?)?|code)[ :=]{1,3}(?=[1-5]\d\d\b)/gi, '$1_'],
  [/(?<![\w-])[+-]?\d{1,20}(?:[.,_:]\d{1,20}){0,8}(?![\w])/g, '0'],
  [/(?<=[@^~=v])\d{1,20}(?:\.\d{1,20}){0,4}[\w.-]{0,20}/g, '0'],
  [/\b(tmp|temp)[\w.-]{4,40}/gi, 'T'],
  // Quotes of any kind are one, and so are the marks around a line.
  [/[`´‘’“”"]/g, "'"],
  [/^[\s>|│•*✖✗×❌⨯⚠✘●-]{1,20}/, ''],
  [/^(?:(?:error|fatal|err)[:!]{1,2}\s+){1,3}/i, ''],
  [/[\s.!:;,…]{1,10}$/, ''],
];

const GENERIC = new Set(
  `error errors err fail fails failed failure failures failing fatal exception uncaught unhandled warning exit exited code status
   command process script build task test tests suite run running line file the and with for was not npm yarn pnpm bun make see log
   above below details more info information output following previous due this that has have had are from into its job step result
   something went wrong unknown unexpected aborted aborting killed terminated stack trace traceback caused cause reason message
   timed out timeout request after waiting elifecycle recipe target makefile complete could compile node project during execution returned non zero nonzero`.split(
    /\s+/,
  ),
);

/** Words that a failure of anything else would hardly print. */
function isTelling(shape: string): boolean {
  const words = new Set(shape.match(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu) ?? []);
  const own = [...words].filter((word) => !GENERIC.has(word));
  return own.length >= FEWEST_WORDS;
}
