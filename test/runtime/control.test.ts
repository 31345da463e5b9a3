// The control socket: who may open it, what it answers, and that a line it cannot read does nothing.
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { type Socket, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { strategyName } from '../../src/domain/ids.ts';
import { type AskOptions, askControl } from '../../src/runtime/control-client.ts';
import type { ControlReply } from '../../src/runtime/control-messages.ts';
import { ControlDoor, type Question } from '../../src/runtime/control.ts';
import { ControlFault, controlPath } from '../../src/runtime/control-path.ts';

const WITHIN: AskOptions = { heardMs: 10_000, doneMs: 20_000 };
const HALT = { type: 'halt', scope: { type: 'account' }, by: 'operator', reason: 'test' } as const;

let folder = '';
let doors: ControlDoor[] = [];
const asked: Question[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'presage-control-'));
  asked.length = 0;
});
afterEach(async () => {
  for (const door of doors) await door.close();
  doors = [];
  rmSync(folder, { recursive: true, force: true });
});

const DONE: ControlReply = { type: 'done', report: { isDone: true, withdrawn: 0, left: [], halts: [], remarks: [] } };

async function open(answer = (): Promise<ControlReply> => Promise.resolve(DONE)): Promise<ControlDoor> {
  const path = controlPath(folder, 'control');
  const door = await ControlDoor.open({
    path,
    role: 'a test',
    answer: (question) => {
      asked.push(question);
      return answer();
    },
  });
  doors.push(door);
  return door;
}

/** Sends a line as it is, and gives everything that comes back. */
function say(line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(controlPath(folder, 'control').address, () => socket.write(line));
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.on('end', () => resolve(text)).on('error', reject);
  });
}

describe('a control socket', () => {
  it('says at once that it has heard, and then what became of it', async () => {
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
    expect(asked).toEqual([{ type: 'order', order: { ...HALT, scope }, withinMs: 5 }]);
  });

  it('says that it failed when carrying it out does, and lives on', async () => {
    await open(() => Promise.reject(new Error('no such figure')));
    const request = { type: 'status' } as const;
    const failed = { type: 'answered', reply: { type: 'refused', why: 'it failed: no such figure' } };
    expect(await askControl(controlPath(folder, 'control'), request, WITHIN)).toEqual(failed);
    expect(await askControl(controlPath(folder, 'control'), request, WITHIN)).toEqual(failed);
  });

  it('is refused where there can be no folder for it', async () => {
    writeFileSync(join(folder, 'file'), '');
    const path = controlPath(join(folder, 'file'), 'control');
    const answer = (): Promise<ControlReply> => Promise.resolve(DONE);
    await expect(ControlDoor.open({ path, role: 'a test', answer })).rejects.toThrow(ControlFault);
  });

  it('writes its process’s number in place of a link, and not into what that leads to', async () => {
    writeFileSync(join(folder, 'elsewhere'), 'precious');
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'control.pid'));
    await open();
    expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('precious');
    expect(readFileSync(join(folder, 'control.pid'), 'utf8')).toBe(`${process.pid}\n`);
  });

  it('that another process has taken meanwhile is left to it at the end', async () => {
    const first = await open();
    rmSync(join(folder, 'control.sock'));
    await open();
    await first.close();
    expect(await askControl(controlPath(folder, 'control'), { type: 'who' }, WITHIN)).toMatchObject({
      type: 'answered',
      reply: { type: 'who' },
    });
  });

  it('is its owner’s alone', async () => {
    await open();
    expect(statSync(join(folder, 'control.sock')).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['no JSON', 'halt\n', 'expected one line of JSON'],
    ['nothing that it knows', '{"type":"sell-all"}\n', 'type: '],
    [
      'an order without a reason',
      `{"type":"order","order":{"type":"flatten","reason":""},"withinMs":1}\n`,
      'order.reason',
    ],
    [
      'a scope with a name without end',
      `${JSON.stringify({ type: 'order', order: { ...HALT, scope: { type: 'market', ticker: 'M'.repeat(5000) } }, withinMs: 1 })}\n`,
      'order.scope.ticker',
    ],
    ['more than was asked for', '{"type":"status","more":1}\n', 'request: '],
    ['a line without end', 'x'.repeat(70_000), 'expected one line of JSON'],
  ])('refuses %s in words, and does nothing', async (_, line, told) => {
    await open();
    const reply = JSON.parse(await say(line)) as { type: string; why: string };
    expect(reply.type).toBe('refused');
    expect(reply.why).toContain(told);
    expect(asked).toEqual([]);
  });

  it('belongs to one process: the next is told who has it', async () => {
    await open();
    await expect(open()).rejects.toThrow(ControlFault);
    await expect(open()).rejects.toThrow(
      new RegExp(`is held by process ${process.pid} \\(a test, since .*\\): one at a time`),
    );
    const [first] = doors;
    await first?.close();
    doors = [];
    await open();
  });

  it('is taken over from a process that died and left it behind', async () => {
    writeFileSync(join(folder, 'control.sock'), '');
    await open();
    expect(await askControl(controlPath(folder, 'control'), { type: 'status' }, WITHIN)).toMatchObject({
      type: 'answered',
    });
  });

  it('is refused where its path would be cut short', () => {
    const long = join(folder, 'x'.repeat(120));
    expect(() => controlPath(long, 'control')).toThrow(/is too long a path for a socket: \d+ bytes, at most 103/);
  });
});

describe('whoever asks', () => {
  it('learns that nobody is there', async () => {
    expect(await askControl(controlPath(folder, 'control'), { type: 'status' }, WITHIN)).toEqual({ type: 'absent' });
  });

  it('learns that somebody is there who does not answer', async () => {
    const guests: Socket[] = [];
    const mute = createServer((socket) => guests.push(socket));
    const path = controlPath(folder, 'control');
    await new Promise<void>((resolve) => mute.listen(path.address, resolve));
    expect(await askControl(path, { type: 'status' }, { heardMs: 30, doneMs: 60 })).toEqual({
      type: 'silent',
      wasHeard: false,
    });
    for (const guest of guests) guest.destroy();
    await new Promise((resolve) => mute.close(resolve));
  });

  it('learns that it was heard although the end does not come', async () => {
    await open(() => new Promise(() => undefined));
    const path = controlPath(folder, 'control');
    const request = { type: 'order', order: HALT, withinMs: 10 } as const;
    expect(await askControl(path, request, { heardMs: 10_000, doneMs: 300 })).toEqual({
      type: 'silent',
      wasHeard: true,
    });
  });
});
