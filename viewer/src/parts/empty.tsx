// Where there is nothing yet: what will be here, and how it gets there.
import type { ComponentChildren } from 'preact';

export type EmptyProps = { title: string; children?: ComponentChildren };

export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children && <div class="lead stack">{children}</div>}
    </div>
  );
}
