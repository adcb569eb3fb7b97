// The way of a memory, drawn: a session, the worker, the processing, the next session.

const STATIONS = [
  { name: 'Your session', about: 'Hooks tell the worker what happens. You never wait for it.' },
  { name: 'The worker', about: 'It keeps each event on this machine, with secrets scrubbed.' },
  { name: 'Processed', about: 'At the end of a turn: what was found, decided, fixed.' },
  { name: 'Next session', about: 'It starts with what it needs to know of the last ones.' },
];

export function Picture() {
  return (
    <ol class="picture">
      {STATIONS.map(({ name, about }, at) => (
        <li key={name}>
          <Drawing station={at} />
          <strong>{name}</strong>
          <span class="small faint">{about}</span>
        </li>
      ))}
    </ol>
  );
}

function Drawing({ station }: { station: number }) {
  return (
    <svg viewBox="9 4 80 56" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round">
      {SHAPES[station]}
    </svg>
  );
}

const SHAPES = [
  <g key="session">
    <rect x="10" y="8" width="76" height="48" rx="6" />
    <path d="M20 22l6 5-6 5" class="picture-live" />
    <path d="M32 32h20M20 44h44" />
  </g>,
  <g key="worker">
    <path d="M14 14h30M14 24h44M14 34h22" class="picture-faint" />
    <ellipse cx="62" cy="36" rx="20" ry="6" />
    <path d="M42 36v14c0 3.300 9 6 20 6s20-2.700 20-6V36" />
    <path d="M50 12h20v10M66 18l4 4 4-4" class="picture-live" />
  </g>,
  <g key="processed">
    <path d="M10 12h34M10 20h28M10 28h36M10 36h24M10 44h32M10 52h20" class="picture-faint" />
    <path d="M50 32h10M56 28l4 4-4 4" class="picture-live" />
    <path d="M68 26h20M68 38h14" stroke-width="3" />
  </g>,
  <g key="next">
    <rect x="10" y="8" width="76" height="48" rx="6" />
    <path d="M20 20h34M20 28h22" stroke-width="3" class="picture-live" />
    <path d="M20 42l5 4-5 4M32 48h14" />
  </g>,
];
