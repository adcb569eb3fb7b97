// The tools, in the order in which they are of use.
import type { Tool } from '../tool.ts';
import { fileHistory } from './file-history.ts';
import { forget } from './forget.ts';
import { getObservations } from './get-observations.ts';
import { remember } from './remember.ts';
import { search } from './search.ts';
import { timeline } from './timeline.ts';

export const TOOLS: Tool[] = [search, timeline, getObservations, fileHistory, remember, forget];
