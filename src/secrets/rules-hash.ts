// Tells one set of rules from another, so that a store is scanned again when they change. Counted when the program is built.
import calls from './tables/calls.txt' with { type: 'text' };
import commands from './tables/commands.txt' with { type: 'text' };
import languages from './tables/languages.txt' with { type: 'text' };
import names from './tables/names.txt' with { type: 'text' };
import tokens from './tables/tokens.txt' with { type: 'text' };
import unnamed from './tables/unnamed.txt' with { type: 'text' };

/** To be raised when what finds secrets finds more by the same tables. */
const ENGINE = 5;

/** 32 bits, of the tables and the engine. */
export function hashRules(): number {
  const rules = [ENGINE, names, languages, commands, calls, unnamed, tokens].join('\n');
  let hash = 0x811c9dc5;
  for (let i = 0; i < rules.length; i++) hash = Math.imul(hash ^ rules.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
