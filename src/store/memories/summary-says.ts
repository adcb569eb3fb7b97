// Whether a summary says anything. Earlier versions stored some without any text: those are no memories.
import { joinTexts } from '../join-texts.ts';

/** Of the summary `m`. */
export const SUMMARY_SAYS = `trim(${joinTexts('m.request, m.completed, m.learned, m.investigated, m.next_steps, m.notes')}, char(9,10,13,32)) <> ''`;
