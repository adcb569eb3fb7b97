// Text put on the clipboard, and said.
import { say } from './parts/toasts.tsx';

export async function copy(text: string, name = text): Promise<void> {
  await navigator.clipboard.writeText(text);
  say(`Copied ${name}.`);
}
