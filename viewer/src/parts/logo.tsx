// The sign of the product: lines that were kept.
export function Logo() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round">
      <path d="M4 6h16M4 12h11M4 18h7" />
    </svg>
  );
}
