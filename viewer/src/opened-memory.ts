// The memory that a dialog is about, and which dialog: opened from any row on any page.
import { signal } from '@preact/signals';
import type { MemoryRow } from '../../src/core/shapes/memory.ts';

export type Opened =
  | { kind: 'edit' | 'replace' | 'merge'; row: MemoryRow }
  | { kind: 'forget'; rows: readonly MemoryRow[] }
  | { kind: 'remember' };

export const opened = signal<Opened | null>(null);

export const openEdit = (row: MemoryRow) => {
  opened.value = { kind: 'edit', row };
};

/** Which other memory applies instead; or both as one. */
export const openReplace = (row: MemoryRow, kind: 'replace' | 'merge' = 'replace') => {
  opened.value = { kind, row };
};

export const openForget = (row: MemoryRow) => openForgetAll([row]);

export const openForgetAll = (rows: readonly MemoryRow[]) => {
  opened.value = { kind: 'forget', rows };
};

export const openRemember = () => {
  opened.value = { kind: 'remember' };
};

export const closeOpened = () => {
  opened.value = null;
};
