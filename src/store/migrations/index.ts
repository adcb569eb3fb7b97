// The steps from an empty file to today's schema. A released step is never edited.
import { spine } from './001-spine.ts';
import { model } from './002-model.ts';
import { search } from './003-search.ts';
import { context } from './004-context.ts';
import { past } from './005-past.ts';

export type Migration = { version: number; why: string; sql: string };

export const MIGRATIONS: Migration[] = [spine, model, search, context, past];
