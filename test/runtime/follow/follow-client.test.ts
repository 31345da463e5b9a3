// The console's side of the live connection against a bot that is broken: garbage, holes, refusals, parts of frames.
import { mkdtempSync, rmSync } from 'node:fs';
import { type Server, type Socket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FollowClient } from '../../../src/runtime/follow/follow-client.ts';
import { FollowedBot } from '../../../src/runtime/follow/followed-bot.ts';
import { controlPath } from '../../../src/runtime/operator/control-path.ts';
import { systemScheduler } from '../../../src/transport/scheduler.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

const waitFor = (claim: () => void): Promise<void> => vi.waitFor(claim, { timeout: PATIENCE_MS, interval: 2 });

let folder = '';
let closings: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-follow-'));
});
afterEach(async () => {
  for (const close of closings.reverse()) await close();
  closings = [];
  rmSync(folder, { recursive: true, force: true });
});

function startClient(hz = 10): FollowClient {
  const client = new FollowClient({
    path: controlPath(folder, 'control'),
    scheduler: systemScheduler,
    random: () => 0,
    hz,
  });
  client.start();
  closings.push(() => client.stop());
  return client;
}

/** Listens in place of a bot. */
async function pretend(onSocket: (socket: Socket) => void): Promise<Server> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(controlPath(folder, 'control').address, resolve));
  closings.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return server;
}

const HELLO = `${JSON.stringify({
  type: 'hello',
  seq: 1,
  version: 1,
  bot: 'b',
  session: 's',
  pid: 1,
  program: '0',
  profile: 'p',
  isPaper: false,
  hasKey: true,
  startedUs: 1,
  atUs: 1,
  more: 'unknown members are ignored',
})}\n`;

describe('a client of a bot that is broken', () => {
  it.each([
    ['text that is not JSON', 'quatsch\n', /not JSON/],
    ['a frame without its members', '{"type":"beat"}\n', /fault at/],
    ['a frame of another kind', '{"type":"secret","seq":2}\n', /fault at/],
    ['a hole in the numbers', '{"type":"beat","seq":5,"atUs":1,"loopLateMs":0}\n', /expected frame 2, found 5/],
    ['a refusal', '{"type":"refused","why":"full"}\n', /^full$/],
  ])('is not connected after %s, and tries again', async (_, text, fault) => {
    let connections = 0;
    await pretend((socket) => {
      connections += 1;
      socket.write(HELLO + text);
    });
    const client = startClient();
    await waitFor(() => expect(connections).toBeGreaterThanOrEqual(3));
    await waitFor(() => expect(client.fault).toMatch(fault));
    expect(client.presence).not.toBe('absent');
  });

  it('is silent, not absent, as soon as a process listens, also one that sends nothing', async () => {
    await pretend(() => undefined);
    const client = startClient();
    await waitFor(() => expect(client.presence).toBe('silent'));
    expect(client.fault).toBeNull();
  });

  it('reads a frame that comes byte by byte, and a character in two parts', async () => {
    const bytes = Buffer.from(HELLO.replace('"b"', '"böt→"'));
    await pretend((socket) => {
      socket.setNoDelay(true);
      for (const byte of bytes) socket.write(Buffer.from([byte]));
    });
    const client = startClient();
    await waitFor(() => expect(client.bot.hello?.bot).toBe('böt→'));
  });

  it('shows nothing of an earlier connection after a new hello', () => {
    const bot = new FollowedBot();
    const hello = JSON.parse(HELLO) as Parameters<FollowedBot['applyFrame']>[0];
    const rows: [
      number,
      string,
      string,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ][] = [[0, 'active', 'live', 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]];
    expect(bot.applyFrame(hello)).toBe(null);
    expect(bot.applyFrame({ type: 'markets', seq: 2, atUs: 1, isSnapshot: true, hasMore: false, rows })).toBe(null);
    expect([bot.rows.size, bot.isComplete]).toEqual([1, true]);
    expect(bot.applyFrame(hello)).toBe(null);
    expect([bot.rows.size, bot.isComplete]).toEqual([0, false]);
  });
});
