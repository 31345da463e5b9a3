// The control socket: who may open it, its replies, and that a line which cannot be parsed has no effect.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type Socket, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { strategyName } from '../../../src/domain/ids.ts';
import { type ControlWaits, sendControlRequest } from '../../../src/runtime/operator/control-client.ts';
import type { ControlReply } from '../../../src/runtime/operator/control-messages.ts';
import { ControlServer, type ProcessRequest } from '../../../src/runtime/operator/control-server.ts';
import { ControlFault, controlPath } from '../../../src/runtime/operator/control-path.ts';
import { machineNowMs } from '../../../src/runtime/operator/order-deadline.ts';
import { PATIENCE_MS } from '../../support/runner/patience.ts';

const WITHIN: ControlWaits = { acknowledgedWithinMs: 10_000, doneWithinMs: 20_000 };
const HALT = { type: 'halt', scope: { type: 'account' }, by: 'operator', reason: 'test' } as const;

let folder = '';
let doors: ControlServer[] = [];
const requests: ProcessRequest[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-control-'));
  requests.length = 0;
});
afterEach(async () => {
  for (const door of doors) await door.close();
  doors = [];
  rmSync(folder, { recursive: true, force: true });
});

const answered = (): Promise<ControlReply> => Promise.resolve(DONE);
const DONE: ControlReply = { type: 'done', report: { isDone: true, withdrawn: 0, left: [], halts: [], remarks: [] } };

async function open(answer = answered): Promise<ControlServer> {
  const path = controlPath(folder, 'control');
  const door = await ControlServer.openSocket({
    path,
    role: 'a test',
    answerRequest: (question) => {
      requests.push(question);
      return answer();
    },
  });
  doors.push(door);
  return door;
}

/** Sends a line unchanged and returns everything that comes back. */
function say(line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(controlPath(folder, 'control').address, () => socket.write(line));
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.on('end', () => resolve(text)).on('error', reject);
  });
}

describe('a control socket', () => {
  it('acknowledges a request at once and reports its outcome later', async () => {
    await open();
    const answered = await say(
      `${JSON.stringify({ type: 'order', order: { ...HALT, scope: { type: 'strategy', strategy: 'a' } }, withinMs: 5 })}\n`,
    );
    expect(
      answered
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([{ type: 'heard' }, DONE]);
    const scope = { type: 'strategy', strategy: strategyName('a') };
    expect(requests).toEqual([{ type: 'order', order: { ...HALT, scope }, withinMs: 5 }]);
  });

  it('reports a request that fails, and keeps running', async () => {
    await open(() => Promise.reject(new Error('no such figure')));
    const request = { type: 'status' } as const;
    const failed = { type: 'answered', reply: { type: 'refused', why: 'it failed: no such figure' } };
    expect(await sendControlRequest(controlPath(folder, 'control'), request, WITHIN)).toEqual(failed);
    expect(await sendControlRequest(controlPath(folder, 'control'), request, WITHIN)).toEqual(failed);
  });

  it('cannot be opened where its folder cannot be created', async () => {
    writeFileSync(join(folder, 'file'), '');
    const path = controlPath(join(folder, 'file'), 'control');
    const answer = (): Promise<ControlReply> => Promise.resolve(DONE);
    await expect(ControlServer.openSocket({ path, role: 'a test', answerRequest: answer })).rejects.toThrow(
      ControlFault,
    );
  });

  it('writes its process id in place of a symbolic link, not into the link’s target', async () => {
    writeFileSync(join(folder, 'elsewhere'), 'precious');
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'control.pid'));
    await open();
    expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('precious');
    expect(readFileSync(join(folder, 'control.pid'), 'utf8')).toBe(`${process.pid}\n`);
  });

  it('listens no longer when its process id cannot be written, so that the process can end', async () => {
    mkdirSync(join(folder, 'control.pid'));
    await expect(open()).rejects.toThrow(/control\.pid: cannot be written/);
    expect(existsSync(join(folder, 'control.sock'))).toBe(false);
    expect(process.getActiveResourcesInfo().filter((name) => name === 'PipeServerWrap')).toEqual([]);
  });

  it('keeps its file at the end when another process has taken it meanwhile', async () => {
    const first = await open();
    rmSync(join(folder, 'control.sock'));
    await open();
    await first.close();
    expect(await sendControlRequest(controlPath(folder, 'control'), { type: 'who' }, WITHIN)).toMatchObject({
      type: 'answered',
      reply: { type: 'who' },
    });
  });

  it('only its owner can open the socket', async () => {
    await open();
    expect(statSync(join(folder, 'control.sock')).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['text that is not JSON', 'halt\n', 'expected one line of JSON'],
    ['an unknown request', '{"type":"sell-all"}\n', 'type: '],
    [
      'an order without a reason',
      `{"type":"order","order":{"type":"flatten","reason":""},"withinMs":1}\n`,
      'order.reason',
    ],
    [
      'a scope with an endless name',
      `${JSON.stringify({ type: 'order', order: { ...HALT, scope: { type: 'market', ticker: 'M'.repeat(5000) } }, withinMs: 1 })}\n`,
      'order.scope.ticker',
    ],
    ['an unknown member', '{"type":"status","more":1}\n', 'request: '],
    ['an endless line', 'x'.repeat(70_000), 'expected one line of JSON'],
  ])('refuses %s with a reason, and does nothing', async (_, line, reason) => {
    await open();
    const reply = JSON.parse(await say(line)) as { type: string; why: string };
    expect(reply.type).toBe('refused');
    expect(reply.why).toContain(reason);
    expect(requests).toEqual([]);
  });

  it('belongs to one process: a second one is refused and learns which process has it', async () => {
    await open();
    await expect(open()).rejects.toThrow(ControlFault);
    await expect(open()).rejects.toThrow(
      new RegExp(`is held by process ${process.pid} \\(a test, since .*\\): only one can run at a time`),
    );
    const [first] = doors;
    await first?.close();
    doors = [];
    await open();
  });

  it('takes the socket over from a process that died', async () => {
    writeFileSync(join(folder, 'control.sock'), '');
    await open();
    expect(await sendControlRequest(controlPath(folder, 'control'), { type: 'status' }, WITHIN)).toMatchObject({
      type: 'answered',
    });
  });

  it('refuses a path that the system would cut short', () => {
    const long = join(folder, 'x'.repeat(120));
    expect(() => controlPath(long, 'control')).toThrow(/is too long a path for a socket: \d+ bytes, at most 103/);
  });
});

describe('an instruction that comes late', () => {
  const ACCOUNT = { type: 'account' } as const;
  const RESUME = { type: 'resume', scope: ACCOUNT, reason: 'test' } as const;
  const limit = { limit: 'orderQtyMax', value: 5, strategy: null, until: 1, reason: 'test' };
  const order = (operatorOrder: object, more: object = {}): string =>
    `${JSON.stringify({ type: 'order', order: operatorOrder, withinMs: 5, ...more })}\n`;
  const RAISING = [
    ['resume', RESUME],
    ['flatten', { type: 'flatten', reason: 'test' }],
    ['override', { type: 'override', override: limit }],
  ] as const;
  const HARMLESS = [
    ['halt', HALT],
    ['cancel-all', { type: 'cancel-all', scope: ACCOUNT, reason: 'test' }],
  ] as const;

  /** Sends a line and leaves in the same turn: the server finds the line with the end of the connection behind it. */
  function sayAndLeave(line: string): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect(controlPath(folder, 'control').address, () => {
        socket.write(line, () => socket.destroy());
      });
      socket.on('close', () => resolve());
    });
  }

  it.each(RAISING)('is refused after its deadline: %s', async (_, operatorOrder) => {
    await open();
    const reply = JSON.parse(await say(order(operatorOrder, { beginByMs: machineNowMs() - 40 }))) as ControlReply;
    expect(reply).toEqual({ type: 'refused', why: expect.stringMatching(/^it came \d+ ms too late, and nothing/) });
    expect(requests).toEqual([]);
  });

  it.each(RAISING)('is carried out before its deadline, and without one: %s', async (_, operatorOrder) => {
    await open();
    expect(await say(order(operatorOrder, { beginByMs: machineNowMs() + PATIENCE_MS }))).toContain('"done"');
    expect(await say(order(operatorOrder))).toContain('"done"');
    expect(requests).toHaveLength(2);
  });

  it.each(RAISING)('is not carried out when its sender has gone: %s', async (_, operatorOrder) => {
    await open();
    await sayAndLeave(order(operatorOrder));
    // The server reads connections in their sequence.
    expect(await say(order(HALT))).toContain('"done"');
    expect(requests.map((request) => request.type === 'order' && request.order.type)).toEqual(['halt']);
  });

  it.each(HARMLESS)('is carried out all the same when it lowers the risk: %s', async (_, operatorOrder) => {
    await open();
    await sayAndLeave(order(operatorOrder, { beginByMs: 0 }));
    await vi.waitFor(() => expect(requests).toHaveLength(1), { timeout: PATIENCE_MS });
  });
});

describe('a control socket in a folder that must be there', () => {
  it('does not create the folder', async () => {
    const removed = join(folder, 'removed');
    const options = { path: controlPath(removed, 'watchdog'), role: 'a test', answerRequest: answered };
    await expect(ControlServer.openSocket({ ...options, isFolderMade: true })).rejects.toThrow(ControlFault);
    expect(existsSync(removed)).toBe(false);
  });
});

describe('a control request', () => {
  it('reports that no process listens', async () => {
    expect(await sendControlRequest(controlPath(folder, 'control'), { type: 'status' }, WITHIN)).toEqual({
      type: 'absent',
    });
  });

  it('reports that a process listens but does not answer', async () => {
    const guests: Socket[] = [];
    const mute = createServer((socket) => guests.push(socket));
    const path = controlPath(folder, 'control');
    await new Promise<void>((resolve) => mute.listen(path.address, resolve));
    expect(await sendControlRequest(path, { type: 'status' }, { acknowledgedWithinMs: 30, doneWithinMs: 60 })).toEqual({
      type: 'silent',
      wasHeard: false,
    });
    for (const guest of guests) guest.destroy();
    await new Promise((resolve) => mute.close(resolve));
  });

  it('reads no reply without end: a folder of another user may hold such a socket', async () => {
    const flood = createServer((socket) => {
      const send = (): void => void (socket.write(Buffer.alloc(1 << 20, 'a')) && setImmediate(send));
      socket.on('drain', send).on('error', () => socket.destroy());
      send();
    });
    const path = controlPath(folder, 'control');
    await new Promise<void>((resolve) => flood.listen(path.address, resolve));
    // The request must end by the length of the reply: these waits are longer than a test may take.
    const waits = { acknowledgedWithinMs: 3_600_000, doneWithinMs: 3_600_000 };
    const result = await sendControlRequest(path, { type: 'status' }, waits);
    expect(result).toEqual({ type: 'silent', wasHeard: false });
    await new Promise((resolve) => flood.close(resolve));
  });

  it('reports that it was acknowledged although the final reply does not come', async () => {
    await open(() => new Promise(() => undefined));
    const path = controlPath(folder, 'control');
    const request = { type: 'order', order: HALT, withinMs: 10 } as const;
    expect(await sendControlRequest(path, request, { acknowledgedWithinMs: 10_000, doneWithinMs: 300 })).toEqual({
      type: 'silent',
      wasHeard: true,
    });
  });
});
