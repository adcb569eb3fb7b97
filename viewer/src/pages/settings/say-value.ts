// A setting's value in words: for its default, and where it cannot be changed.
import { formatNumber } from '../../format.ts';

export function sayValue(value: unknown): string {
  if (value === null || value === '' || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return formatNumber(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (typeof value === 'object' && 'host' in value) return `set, for ${String(value.host)}`;
  return String(value);
}

/** Long lists are not told again: `all 6`, `5 names`. */
export function sayDefault(value: unknown, values: string[] | null): string {
  if (!Array.isArray(value) || value.length < 3) return sayValue(value);
  return value.length === values?.length ? 'all' : `${value.length} names`;
}
