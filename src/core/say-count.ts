// A number with its noun, as people say it: `1 session`, `2,000 sessions`, `1 summary`.

export const sayCount = (value: number, many: string): string =>
  `${value.toLocaleString('en')} ${value === 1 ? many.replace(/ies$/, 'y').replace(/s$/, '') : many}`;
