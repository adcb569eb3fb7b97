// Words that say nothing about what is looked for.

const ENGLISH = `a about above after again against all also am an and any are as at be because been before being below between both
  but by can could d did do does doing don down during each few for from further had has have having he her here hers him his how i
  if in into is it its itself just ll m me more most my no nor not now of off on once only or other our ours out over own re s same
  she should so some such t than that the their theirs them then there these they this those through to too under until up us ve
  very was we were what when where which while who whom whose why will with would y you your yours`;

/** In a question put to the memory of one's own code these are about everything. */
const ASKING = 'python python3 javascript please show tell remind';

const STOP_WORDS = new Set(`${ENGLISH} ${ASKING}`.split(/\s+/));

export const isStopWord = (word: string) => STOP_WORDS.has(word);
