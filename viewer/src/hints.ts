// What to do about a problem, where the worker's words are meant for people.
import type { ApiError } from './api.ts';

/** Routes and JSON are for programs: here they would be a riddle. */
const FOR_PROGRAMS = /\b(GET|POST|PATCH|PUT|DELETE) \/|\bnull\b/;

export const hintOf = ({ hint }: ApiError) => (FOR_PROGRAMS.test(hint) ? '' : hint);
