// Where the first answer will be, while it is asked for; seen only when that takes a while.

export function Skeleton({ rows = 4 }: { rows?: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, at) => (
        <div key={at}>
          <span />
          <span />
          <span />
        </div>
      ))}
    </div>
  );
}
