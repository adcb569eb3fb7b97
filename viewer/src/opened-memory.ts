// The memory that a dialog is about, and which dialog: opened from any card on any page.
import { signal } from '@preact/signals';
import type { Memory } from '../../src/core/shapes/memory.ts';

export type Opened = { kind: 'edit' | 'forget'; memory: Memory };

export const opened = signal<Opened | null>(null);

export const openEdit = (memory: Memory) => {
  opened.value = { kind: 'edit', memory };
};

export const openForget = (memory: Memory) => {
  opened.value = { kind: 'forget', memory };
};

export const closeOpened = () => {
  opened.value = null;
};
