// The icons, inlined: one line each on a grid of 16. Each type of memory has its own shape, so that nobody needs its colour.

const PATHS = {
  decision: 'M8 1.8 14.2 8 8 14.2 1.8 8zM5.7 8.1l1.7 1.6 3-3.3',
  bugfix: 'M5 6.5a3 3 0 0 1 6 0v3a3 3 0 0 1-6 0zM5 8H2M14 8h-3M5.200 5 3.200 3.400M10.800 5l2-1.600M5.200 11l-2 1.800M10.800 11l2 1.800',
  feature: 'M8 2.200v11.600M2.200 8h11.600',
  refactor: 'M2.500 5h9l-2.500-2.500M13.500 11h-9l2.500 2.500',
  discovery: 'M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM10.300 10.300l3.500 3.500',
  change: 'M2.500 13.500 3.300 10 10.500 2.800l2.700 2.700L6 12.700z',
  summary: 'M2.500 4h11M2.500 8h11M2.500 12h6.500',
  prompt: 'M3 3.500 7.500 8 3 12.500M8.500 12.500H13',
  home: 'M2.500 7 8 2.500 13.500 7v6.500h-4V9.500h-3v4h-4z',
  feed: 'M2.500 3.500h11M2.500 8h11M2.500 12.500h11',
  search: 'M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zM10.300 10.300l3.500 3.500',
  sessions: 'M2 3h12v10H2zM4.500 6.500l2 1.500-2 1.500M8 10h3',
  projects: 'M2 4.200V13h12V5.500H8L6.500 3.500H2z',
  next: 'M4 2.800v10.400l8.500-5.200z',
  data: `M2.500 4c0-1.200 2.500-2 5.500-2s5.500.8 5.500 2-2.500 2-5.500 2-5.500-.8-5.500-2z
    M2.500 4v8c0 1.200 2.500 2 5.500 2s5.500-.8 5.500-2V4M2.500 8c0 1.200 2.500 2 5.500 2s5.500-.8 5.500-2`,
  settings: `M2.500 4.500h7M12.500 4.500h1M2.500 11.500h1M6.500 11.500h7M11 3a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3z
    M5 10a1.500 1.500 0 1 0 0 3 1.500 1.500 0 0 0 0-3z`,
  help: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.300 6.500a1.800 1.800 0 1 1 2.600 1.600c-.6.3-.9.6-.9 1.300M8 11.300v.2',
  health: 'M1.500 8.500h3l1.500-4 3 8 2-5.500.8 1.500h2.700',
  more: 'M3.500 8h.01M8 8h.01M12.500 8h.01',
  pin: 'M5.500 2.500h5l-.7 4 2.200 2.500H4l2.200-2.500zM8 9v5',
  copy: 'M5.500 5.500V2.500h8v8h-3M2.500 5.500h8v8h-8z',
  close: 'M3.500 3.500l9 9M12.500 3.500l-9 9',
  check: 'M2.800 8.500 6.300 12l7-8',
  file: 'M3.500 1.800h6l3 3v9.400h-9zM9.500 1.800v3h3',
  plus: 'M8 3v10M3 8h10',
  warn: 'M8 2.200 14.500 13.500h-13zM8 6.500v3.300M8 11.600v.2',
  globe: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2c2.200 2 2.200 10 0 12M8 2c-2.200 2-2.200 10 0 12',
} as const;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" stroke-linecap="round" stroke-linejoin="round">
    <path d={PATHS[name]} />
  </svg>
);

/** The shape and the colour of a type, beside its name. */
export const TypeMark = ({ type }: { type: string }) => (
  <span class="type-icon" data-type={type} aria-hidden="true">
    <Icon name={type in PATHS ? (type as IconName) : 'change'} />
  </span>
);

/** Of a memory: the shape and the colour of its type, and its name for whoever does not see it. */
export const TypeIcon = ({ type }: { type: string }) => (
  <span class="type-icon" data-type={type} title={type}>
    <Icon name={type in PATHS ? (type as IconName) : 'change'} />
    <span class="hidden-text">{type}</span>
  </span>
);
