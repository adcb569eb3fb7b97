// The hooks' socket: who speaks stays, who is silent goes.
import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectLines } from '../../bench/spine/line-client.ts';
import { listenForLines } from '../../src/server/line-socket.ts';
import { until } from '../support/until.ts';

test('a connection is hung up after silence, not after a time however busy it is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cmem-socket-'));
  const path = join(folder, 'worker.sock');
  const server = listenForLines(path, (line) => `heard ${line}`, 300);
  try {
    const busy = await connectLines(path);
    const silent = await connectLines(path);
    expect(await silent.ask('hello')).toBe('heard hello');
    expect(server.connections()).toBe(2);
    for (let times = 0; times < 20; times++) {
      expect(await busy.ask('still here')).toBe('heard still here');
      await Bun.sleep(50);
    }
    expect(server.connections()).toBe(1);
    await until(() => server.connections() === 0);
    busy.close();
    silent.close();
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
});
