// Paths in an output as the project knows them: the same file has one name, and a short one.

/** Every `/root/of/project/src/a.ts` becomes `src/a.ts`; the root itself stays. */
export function withoutRoot(text: string, root: string): string {
  const base = root.replace(/[\\/]+$/, '');
  if (base.length < 4 || !text.includes(base)) return text;
  return text.replace(new RegExp(`(?<![\\w./\\\\-])${RegExp.escape(base)}[\\\\/](?=[\\w.@-])`, 'g'), '');
}
