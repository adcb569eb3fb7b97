// How big something is, the same wherever it is said: `12 KB`, `2.5 MB`, `1.2 GB`. Of thousands, as disks are sold.

export function formatSize(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} KB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
