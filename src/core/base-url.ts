// Which addresses of a model may be used at all: over TLS, or on this machine, and nothing in them but the address.

/** `reason` goes on after "it" or "the base URL"; a password in the text is never repeated. */
export type BaseUrl = { kind: 'good'; url: URL } | { kind: 'bad'; url: URL | null; reason: string };

export function readBaseUrl(text: string): BaseUrl {
  const url = URL.parse(text);
  const bad = (reason: string): BaseUrl => ({ kind: 'bad', url, reason });
  if (url === null || !/^https?:$/.test(url.protocol)) return bad('is not a URL like https://host/v1');
  if (url.username !== '' || url.password !== '') return bad('has a user or password in it; set the key instead');
  if (/[?#]/.test(text)) return bad('has a query or a fragment; leave it out');
  if (url.protocol === 'https:' || isLoopback(url)) return { kind: 'good', url };
  return bad('must begin with https:// (http:// is only for this machine)');
}

/** By the parsed name: the parser has already brought 127.1 and 0x7f000001 into this form. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
