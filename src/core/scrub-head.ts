// The beginning of an input that could not be read, fit to be written: scrubbed while whole, then shortened.

import { scrubSecrets } from '../secrets/scrub.ts';
import { firstWords } from './cut.ts';

const KEPT = 200;

export const scrubHead = (head: string): string => firstWords(scrubSecrets(head).text, KEPT);
