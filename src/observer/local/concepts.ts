// A few words to find an observation by: its kind of knowledge, and the part of the project it touches.
import type { ObservationType } from '../../core/observation.ts';
import { baseName } from './edits/describe.ts';

const KIND: Record<ObservationType, string> = {
  decision: 'trade-off',
  bugfix: 'problem-solution',
  feature: 'what-changed',
  refactor: 'what-changed',
  discovery: 'how-it-works',
  change: 'what-changed',
};
const GENERIC = new Set(
  'src lib app index main test tests spec packages pkg internal cmd core mod init readme package docs public utils'.split(
    ' ',
  ),
);

export function conceptsFor(type: ObservationType, files: string[], ...extra: (string | null)[]): string[] {
  return [KIND[type], ...extra.filter((word) => word !== null), ...files.slice(0, 4).flatMap(moduleOf)].map((word) =>
    word.toLowerCase(),
  );
}

function moduleOf(file: string): string[] {
  const name = (baseName(file).split('.')[0] ?? '').replace(/[_-]?(?:test|spec|tests)$/i, '');
  const folder = file.split('/').at(-2) ?? '';
  return [name, folder].filter((word) => word.length > 2 && !GENERIC.has(word.toLowerCase())).slice(0, 1);
}
