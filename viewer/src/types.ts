// The types of memories, as filters and forms offer them.

import type { ObservationType } from '../../src/core/observation.ts';
import type { MemoryRow } from '../../src/core/shapes/memory.ts';

export const TYPES: readonly ObservationType[] = ['decision', 'bugfix', 'feature', 'refactor', 'discovery', 'change'];

/** With the kinds that are no observations. */
export const MEMORY_TYPES: readonly MemoryRow['type'][] = [...TYPES, 'summary', 'prompt'];
