// `claude-mem restart`: the one after the other.
import { start } from './start.ts';
import { stop } from './stop.ts';

export async function restart(): Promise<void> {
  await stop();
  await start();
}
