// A question to the person at the terminal. On stderr: what is printed may go elsewhere.

/** True for `yes` or `y`, in any case. */
export async function askPerson(question: string): Promise<boolean> {
  process.stderr.write(question);
  for await (const chunk of process.stdin) return /^\s*y(es)?\s*$/i.test(String(chunk));
  return false;
}
