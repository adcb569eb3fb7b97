// The beginning of an input that could not be read, fit to be written: scrubbed while whole, then shortened.
import { firstWords } from '../cut.ts';
import { scrubSecrets } from './scrub.ts';

const KEPT = 200;

export const scrubHead = (head: string): string => firstWords(scrubSecrets(head).text, KEPT);
