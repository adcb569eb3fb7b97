// A rest that can be cut short.

export type WakeableRest = {
  rest: (ms: number) => Promise<void>;
  wake: () => void;
};

export function createWakeableRest(): WakeableRest {
  let end: (() => void) | null = null;
  return {
    rest: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => end?.(), ms);
        end = () => {
          clearTimeout(timer);
          end = null;
          resolve();
        };
      }),
    wake: () => end?.(),
  };
}
