// A line from stdin; at a terminal asked for and not shown.

export async function readSecret(question: string): Promise<string> {
  const stdin = process.stdin;
  if (!stdin.isTTY) return (await Bun.stdin.text()).trim();
  // Before the question: whoever is fast must not see what they type.
  stdin.setRawMode(true);
  process.stderr.write(question);
  let typed = '';
  try {
    for await (const chunk of stdin) {
      typed += chunk.toString('utf8');
      const line = readTyped(typed);
      if (line !== null) return line;
    }
    return readTyped(`${typed}\r`) ?? '';
  } finally {
    stdin.setRawMode(false);
    process.stderr.write('\n');
  }
}

/** The line that the keys pressed so far make, or null while it is not ended. Ctrl-C makes an empty one. */
export function readTyped(typed: string): string | null {
  let line = '';
  for (const key of typed.replace(ESCAPES, '')) {
    if (key === CTRL_C) return '';
    if (key === '\r' || key === '\n' || key === CTRL_D) return line.trim();
    if (key === '\x7f' || key === '\b') line = line.slice(0, -1);
    else line = key === CTRL_U ? '' : line + key;
  }
  return null;
}

const [CTRL_C, CTRL_D, CTRL_U] = ['\x03', '\x04', '\x15'];

/** Arrows, function keys, the marks around a paste, and whatever else begins with an escape. */
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O[ -~]|[ -Z\\-~])?/g;
