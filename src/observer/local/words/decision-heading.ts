// Headings that are a decision themselves: "Why polars and not the others", with the reasons as the list below.
import { bareText } from '../text/plain.ts';
import type { Line } from '../turn.ts';
import type { Decision } from './decision.ts';
import { subjectOf } from './stand-alone.ts';

export type HeadedDecision = { decision: Decision; lines: Line[] };

const HEADING =
  /^(?:\d+[.)]\s*)?why (?:i (?:chose|used|picked|took) |we (?:chose|use|took) )?(.{2,50}?)(?:,? (?:and )?not |,? (?:over|instead of|rather than|vs\.?) )(.{2,60})$/i;
const PLAIN =
  /^(?:\d+[.)]\s*)?why (?:not )?(?!(?:it|this|that|the|does|did|is|was|are)\b)([\w`.@/+-]+(?: [\w`.@/+-]+){0,3})$/i;
const OTHERS = /^(?:the |any )?(?:others?|rest|alternatives?|other (?:options|ones|candidates))$/i;

/** One decision per such section; `lines` are the sentences it takes up. */
export function findHeadingDecisions(lines: Line[]): HeadedDecision[] {
  const sections = new Map<string, Line[]>();
  for (const line of lines)
    if (HEADING.test(line.section) || PLAIN.test(line.section))
      sections.set(line.section, [...(sections.get(line.section) ?? []), line]);
  return [...sections].map(([section, under]) => ({ decision: readHeading(section, under), lines: under }));
}

function readHeading(section: string, under: Line[]): Decision {
  const found = HEADING.exec(section);
  const isNot = !found && /^(?:\d+[.)]\s*)?why not\b/i.test(section);
  const chosen = found?.[1] ?? PLAIN.exec(section)?.[1] ?? section;
  const refused = found?.[2] && !OTHERS.test(found[2]) ? found[2] : leads(under, chosen);
  const why = bareText(under[0]?.text ?? '').replace(/[.!]+$/, '');
  return {
    line: under[0] as Line,
    text: found ? `${chosen} rather than ${refused || found[2]}` : `${isNot ? 'Not ' : ''}${chosen}: ${why}`,
    why,
    rejected: isNot ? chosen : refused || null,
  };
}

/** What the items below speak of: "Dask was a dead end", "Chunked pandas works but". */
function leads(under: Line[], chosen: string): string {
  const items = under.filter((line, at) => line.item && under[at - 1]?.block !== line.block);
  const names = items.map((line) => subjectOf(line.text) ?? /^([^:—–]{2,30})\s*[:—–]/.exec(line.text)?.[1] ?? '');
  return names.filter((name) => name !== '' && !name.toLowerCase().includes(chosen.toLowerCase())).join(', ');
}
