// Base URLs as a person may set them: the rules that src/llm/endpoint.ts holds every question to, said beforehand.

export function checkBaseUrl(text: string): URL {
  const url = URL.parse(text);
  // A password in it must not be repeated.
  if (url === null || !/^https?:$/.test(url.protocol)) return refuse('it is not a URL like https://host/v1');
  if (url.username || url.password) return refuse('it has a user or password in it; set the key instead');
  if (/[?#]/.test(text)) return refuse('it has a query or a fragment; leave that out');
  if (url.protocol === 'https:' || isLoopback(url)) return url;
  return refuse(`for ${url.host} it must begin with https:// (http:// is only for this machine)`);
}

/** By the parsed name: 127.1 has become 127.0.0.1 in it. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function refuse(reason: string): never {
  throw new Error(`This baseUrl cannot be used: ${reason}.`);
}
