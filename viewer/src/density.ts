// How close rows stand: compact, or roomy with a second line. Chosen once for this browser.
import { effect, signal } from '@preact/signals';

export type Density = 'compact' | 'roomy';

const KEY = 'claude-mem-density';

export const density = signal<Density>(localStorage.getItem(KEY) === 'roomy' ? 'roomy' : 'compact');

effect(() => {
  document.documentElement.dataset.density = density.value;
  localStorage.setItem(KEY, density.value);
});

export const toggleDensity = () => {
  density.value = density.peek() === 'compact' ? 'roomy' : 'compact';
};
