// The dialogs about one memory, opened from any card on any page.
import { signal } from '@preact/signals';
import type { Memory } from '../../../src/core/memory.ts';
import { EditDialog } from './edit-dialog.tsx';
import { ForgetDialog } from './forget-dialog.tsx';

type Opened = { kind: 'edit' | 'forget'; memory: Memory };

const opened = signal<Opened | null>(null);

export const openEdit = (memory: Memory) => {
  opened.value = { kind: 'edit', memory };
};

export const openForget = (memory: Memory) => {
  opened.value = { kind: 'forget', memory };
};

const close = () => {
  opened.value = null;
};

/** Once, in the shell. */
export function MemoryDialogs() {
  if (!opened.value) return null;
  const { kind, memory } = opened.value;
  if (kind === 'edit') return <EditDialog key={memory.id} memory={memory} onClose={close} />;
  return <ForgetDialog key={memory.id} memory={memory} onClose={close} />;
}
