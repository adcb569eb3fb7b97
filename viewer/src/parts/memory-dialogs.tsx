// The dialogs about one memory: once, in the shell.
import { closeOpened, opened } from '../opened-memory.ts';
import { EditDialog } from './edit-dialog.tsx';
import { ForgetDialog } from './forget-dialog.tsx';

export function MemoryDialogs() {
  if (!opened.value) return null;
  const { kind, memory } = opened.value;
  if (kind === 'edit') return <EditDialog key={memory.id} memory={memory} onClose={closeOpened} />;
  return <ForgetDialog key={memory.id} memory={memory} onClose={closeOpened} />;
}
