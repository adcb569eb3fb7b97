// Whether anybody can see this tab: a browser gives all tabs of the viewer together six connections.

const isHidden = () => document.visibilityState === 'hidden';

/** Once, when it has been hidden for so long without a break. Returns how to stop. */
export function whenHidden(work: () => void, afterMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    if (isHidden()) timer = setTimeout(work, afterMs);
  };
  look();
  document.addEventListener('visibilitychange', look);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
  };
}

/** At once when it is visible already. */
export const untilVisible = () =>
  new Promise<void>((resolve) => {
    const look = () => {
      if (isHidden()) return;
      document.removeEventListener('visibilitychange', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    look();
  });
