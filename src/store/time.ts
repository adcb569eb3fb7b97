// Times are kept twice: as text for people, as epoch milliseconds for sorting.

export const isoTime = (epochMs: number): string => new Date(epochMs).toISOString();
