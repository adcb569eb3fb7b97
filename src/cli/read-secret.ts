// A line from stdin; at a terminal asked for and not shown.

export async function readSecret(question: string): Promise<string> {
  const stdin = process.stdin;
  if (!stdin.isTTY) return (await Bun.stdin.text()).trim();
  process.stderr.write(question);
  stdin.setRawMode(true);
  let typed = '';
  try {
    for await (const chunk of stdin) {
      for (const key of chunk.toString('utf8')) {
        if (key === '\r' || key === '\n') return typed.trim();
        if (key === '\u0003') return '';
        typed = key === '\u007f' ? typed.slice(0, -1) : typed + key;
      }
    }
    return typed.trim();
  } finally {
    stdin.setRawMode(false);
    process.stderr.write('\n');
  }
}
