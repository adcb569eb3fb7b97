// A model's server on loopback that answers as it is told and remembers what came.

export type FakeRequest = { method: string; path: string; headers: Record<string, string>; body: unknown };

export type Reply = (request: FakeRequest) => Response | Promise<Response>;

export type FakeServer = {
  url: string;
  host: string;
  requests: FakeRequest[];
  /** Resolves when the next request has come. */
  nextRequest: () => Promise<FakeRequest>;
  replyWith: (reply: Reply) => void;
  close: () => void;
};

export function startFakeServer(): FakeServer {
  const requests: FakeRequest[] = [];
  let waiting: ((request: FakeRequest) => void)[] = [];
  let reply: Reply = () => new Response('no reply is set', { status: 500 });
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(incoming) {
      const request = await readRequest(incoming);
      requests.push(request);
      for (const tell of waiting) tell(request);
      waiting = [];
      return reply(request);
    },
  });
  const host = `127.0.0.1:${server.port}`;
  return {
    url: `http://${host}`,
    host,
    requests,
    nextRequest: () => new Promise((resolve) => waiting.push(resolve)),
    replyWith: (next) => {
      reply = next;
      requests.length = 0;
    },
    close: () => void server.stop(true),
  };
}

async function readRequest(request: Request): Promise<FakeRequest> {
  const text = await request.text();
  const body: unknown = text === '' ? null : JSON.parse(text);
  const { pathname } = new URL(request.url);
  return { method: request.method, path: pathname, headers: Object.fromEntries(request.headers), body };
}

/** Sends the beginning and then one piece after the other for as long as somebody reads. */
export function drip({ contentType, begin, goOn }: { contentType: string; begin: string; goOn: string }): Response {
  const encoder = new TextEncoder();
  let timer: Timer | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(encoder.encode(begin));
      timer = setInterval(() => controller.enqueue(encoder.encode(goOn)), 20);
    },
    cancel: () => clearInterval(timer),
  });
  return new Response(stream, { headers: { 'content-type': contentType } });
}

/** Sends half of it and breaks the connection. */
export function truncate({ contentType, body }: { contentType: string; body: string }): Response {
  const half = new TextEncoder().encode(body.slice(0, body.length / 2));
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(half);
      controller.close();
    },
  });
  // More is promised than comes.
  const headers = { 'content-type': contentType, 'content-length': String(body.length) };
  return new Response(stream, { headers });
}
