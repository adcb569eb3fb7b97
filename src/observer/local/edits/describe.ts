// Says in words what a change of files did, from the change alone.
import type { FileChange } from './changes.ts';

/** A title for the whole change, used when neither a commit nor the agent names it. */
export function describeChanges(changes: FileChange[]): string | null {
  const main = mainChange(changes);
  if (!main) return null;
  const renamed = renameIn(changes);
  if (renamed) return `Rename ${renamed.from} to ${renamed.to}${inFiles(changes)}`;
  const created = changes.filter((change) => change.created);
  if (created.length > 1)
    return `Create ${created.length} files${commonFolder(created)}: ${created
      .slice(0, 4)
      .map((change) => baseName(change.file))
      .join(', ')}`;
  if (main.created)
    return `Create ${main.file}${main.newNames.length > 0 ? ` with ${main.newNames.slice(0, 3).join(', ')}` : ''}`;
  const value = main.values[0];
  if (value && main.added <= 6)
    return `Change ${value.key} from ${value.from} to ${value.to} in ${baseName(main.file)}`;
  if (main.newNames.length > 0) return `Add ${main.newNames.slice(0, 3).join(', ')} to ${main.file}`;
  if (main.goneNames.length > 0 && main.added === 0)
    return `Remove ${main.goneNames.slice(0, 3).join(', ')} from ${main.file}`;
  if (main.touchedNames.length > 0) return `Change ${main.touchedNames.slice(0, 3).join(', ')} in ${main.file}`;
  const sample = changes.length === 1 ? bareSample(main) : '';
  return `Change ${changes
    .slice(0, 3)
    .map((change) => change.file)
    .join(', ')}${sample ? `: ${sample}` : ''}`;
}

/** One sentence for one file: "src/range.ts: changed parseRange; LIMIT 3 → 5 (+3 −1)". */
export function describeFile(change: FileChange): string {
  const parts = [
    change.created ? 'new file' : null,
    change.newNames.length > 0 ? `${change.created ? 'with' : 'added'} ${change.newNames.join(', ')}` : null,
    change.goneNames.length > 0 ? `removed ${change.goneNames.join(', ')}` : null,
    change.touchedNames.length > 0 && !change.created ? `changed ${change.touchedNames.join(', ')}` : null,
    ...(change.created ? [] : change.values.map((value) => `${value.key}: ${value.from} → ${value.to}`)),
  ].filter((part) => part !== null);
  if (parts.length === 0) parts.push(...sampleOf(change));
  const counts = change.removed > 0 ? `+${change.added} −${change.removed}` : `+${change.added}`;
  return `${change.file}: ${parts.length > 0 ? `${parts.join('; ')} ` : 'changed '}(${counts} lines)`;
}

/** For titles: without the quotes and braces that make a line look like data. */
function bareSample({ sample }: FileChange): string {
  const bare = (text: string) =>
    text
      .replace(/["'`{}[\]]|[,;]$/g, '')
      .replace(/\s+/g, ' ')
      .trim();
  if (sample.from && sample.from === sample.to) return '';
  if (sample.from && sample.to) return `${bare(sample.from)} → ${bare(sample.to)}`;
  return sample.to ? `add ${bare(sample.to)}` : sample.from ? `remove ${bare(sample.from)}` : '';
}

function sampleOf({ sample }: FileChange): string[] {
  if (sample.from && sample.from === sample.to) return [];
  if (sample.from && sample.to) return [`\`${sample.from}\` → \`${sample.to}\``];
  if (sample.to) return [`added \`${sample.to}\``];
  return sample.from ? [`removed \`${sample.from}\``] : [];
}

/** A name that went and one that came in its place, in the same number of lines. */
export function renameIn(changes: FileChange[]): { from: string; to: string } | null {
  for (const change of changes) {
    const [from, to] = [change.goneNames[0], change.newNames[0]];
    if (change.created || !from || !to || change.goneNames.length > 1 || change.newNames.length > 1) continue;
    if (Math.abs(change.added - change.removed) <= 1) return { from, to };
  }
  return null;
}

function mainChange(changes: FileChange[]): FileChange | undefined {
  const rank = (change: FileChange) => (isTestFile(change.file) ? -1e6 : 0) + change.added + change.removed;
  return [...changes].sort((a, b) => rank(b) - rank(a))[0];
}

function inFiles(changes: FileChange[]): string {
  return changes.length > 1 ? ` in ${changes.length} files` : ` in ${changes[0]?.file ?? ''}`;
}

function commonFolder(changes: FileChange[]): string {
  const folders = changes.map((change) => change.file.split('/').slice(0, -1));
  const first = folders[0] ?? [];
  const same = first.filter((part, at) => folders.every((folder) => folder[at] === part));
  return same.length > 0 ? ` in ${same.join('/')}` : '';
}

export function baseName(file: string): string {
  return file.split('/').at(-1) ?? file;
}

export function isTestFile(file: string): boolean {
  return /(?:^|\/)(?:tests?|specs?|__tests__|e2e|fixtures)\/|[._-](?:test|spec|tests)\.\w+$|(?:^|\/)test_\w+\.py$|Tests?\.(?:java|kt|cs|swift|php)$/.test(
    file,
  );
}
