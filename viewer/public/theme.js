// Before the first paint, so that a dark page does not flash white: the theme that was chosen here before.
{
  let chosen = null;
  try {
    chosen = localStorage.getItem('claude-mem-theme');
  } catch {
    // No storage: the system's theme.
  }
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
}
