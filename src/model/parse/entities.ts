// Entities undone, once: `&amp;lt;` is the text `&lt;`.

const ENTITY = /&(?:#x([0-9a-f]{1,8})|#([0-9]{1,10})|([a-z][a-z0-9]{1,7}));/gi;

const NAMED = new Map(
  Object.entries({
    ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', copy: '©', reg: '®', trade: '™', deg: '°' },
    ...{ mdash: '—', ndash: '–', hellip: '…', bull: '•', middot: '·', times: '×', plusmn: '±', micro: 'µ', sect: '§' },
    ...{ lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', laquo: '«', raquo: '»', euro: '€', pound: '£' },
    ...{ rarr: '→', larr: '←', uarr: '↑', darr: '↓', harr: '↔', le: '≤', ge: '≥', ne: '≠', check: '✓', cross: '✗' },
  }),
);

export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(ENTITY, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name) return NAMED.get(name) ?? NAMED.get(name.toLowerCase()) ?? whole;
    return character(hex ? Number.parseInt(hex, 16) : Number(decimal));
  });
}

function character(code: number): string {
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : '\ufffd';
}
