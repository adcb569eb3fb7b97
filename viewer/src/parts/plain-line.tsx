// A memory in a dialog: named, and nothing else can be done with it there.
import type { ComponentChildren } from 'preact';
import type { MemoryRow } from '../../../src/core/shapes/memory.ts';
import { formatDate, formatId } from '../format.ts';
import { TypeIcon } from './icon.tsx';
import '../styles/line.css';

export const PlainLine = ({ row, children }: { row: MemoryRow; children?: ComponentChildren }) => (
  <p class="plain-line">
    <TypeIcon type={row.type} />
    <span class="line-words" dir="auto">
      {row.title || 'Untitled'}
    </span>
    <span class="faint mono tiny">
      {formatId(row.id)} {formatDate(row.at)}
    </span>
    {children}
  </p>
);
