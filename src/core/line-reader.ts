// Lines out of bytes as they come. One that is longer than allowed is dropped as it comes, so that memory stays flat.

export type LineReader = ReturnType<typeof createLineReader>;

const NEWLINE = 0x0a;

export function createLineReader(mostBytes: number, onLine: (line: string) => void, onTooLong: () => void) {
  let held: Uint8Array[] = [];
  let size = 0;
  const hold = (bytes: Uint8Array) => {
    if (size <= mostBytes && size + bytes.length > mostBytes) onTooLong();
    size += bytes.length;
    // A copy: the runtime may use its buffer again once we return.
    if (size > mostBytes) held = [];
    else if (bytes.length > 0) held.push(bytes.slice());
  };
  const end = () => {
    if (size > 0 && size <= mostBytes) onLine(Buffer.concat(held).toString('utf8'));
    held = [];
    size = 0;
  };
  return {
    push(bytes: Uint8Array) {
      let from = 0;
      for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, from)) {
        hold(bytes.subarray(from, at));
        end();
        from = at + 1;
      }
      hold(bytes.subarray(from));
    },
    /** Nothing more comes: what is left is a line, too. */
    end,
  };
}
