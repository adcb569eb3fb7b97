// Moments as a reader meets them: the day and the minute, where the reader is.

/** `2026-01-02`. */
export function formatDate(epochMs: number): string {
  const date = new Date(epochMs);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** `10:30`. */
export function formatTime(epochMs: number): string {
  const date = new Date(epochMs);
  return `${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

const pad = (value: number) => String(value).padStart(2, '0');
