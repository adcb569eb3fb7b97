// The dialogs about memories: once, in the shell.
import { closeOpened, opened } from '../opened-memory.ts';
import { EditDialog } from './edit-dialog.tsx';
import { ForgetDialog } from './forget-dialog.tsx';
import { RememberDialog } from './remember-dialog.tsx';
import { ReplaceDialog } from './replace-dialog.tsx';

export function MemoryDialogs() {
  const { value } = opened;
  if (!value) return null;
  switch (value.kind) {
    case 'edit':
      return <EditDialog key={value.row.id} row={value.row} onClose={closeOpened} />;
    case 'forget':
      return <ForgetDialog key={value.rows[0]?.id} rows={value.rows} onClose={closeOpened} />;
    case 'remember':
      return <RememberDialog onClose={closeOpened} />;
    default:
      return <ReplaceDialog key={value.row.id} row={value.row} isMerge={value.kind === 'merge'} onClose={closeOpened} />;
  }
}
