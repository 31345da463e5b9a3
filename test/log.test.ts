// Checks the log: ids are always logged; secrets never, at any place in a line.
import { generateKeyPairSync } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { LogFault, type Logger, logTo, openLog, reopenLog } from '../src/log.ts';
import { PATIENCE_MS } from './support/runner/patience.ts';
import { RollingFile } from '../src/log/rolling-file.ts';

const SECRET = 'c2VjcmV0LXNpZ25hdHVyZQ==';
const privatePem = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
const KEY_BODY = privatePem.split('\n')[1] ?? '';

/** Returns the text that is written while a function logs. */
function written(use: (log: Logger) => void): string {
  const lines: string[] = [];
  use(logTo({ write: (line) => lines.push(line) }, 'trace'));
  return lines.join('');
}

const record = (use: (log: Logger) => void): Record<string, unknown> =>
  JSON.parse(written(use)) as Record<string, unknown>;

const nest = (value: object, depth: number): object => (depth === 0 ? value : { inner: nest(value, depth - 1) });

const failure = (own: object, options?: ErrorOptions): Error => Object.assign(new Error('it failed', options), own);

describe('a secret', () => {
  const members = [
    'privateKey',
    'signature',
    'pem',
    'secret',
    'passphrase',
    'ACCESS-SIGNATURE',
    'access-signature',
    'KALSHI-ACCESS-SIGNATURE',
    'kalshi-access-signature',
  ];

  it.each(members.flatMap((member) => [0, 1, 2, 3, 4, 9].map((depth) => [member, depth] as const)))(
    'is removed from %s at depth %i',
    (member, depth) => {
      const line = written((log) => log.info(nest({ [member]: SECRET, clientOrderId: 'c-1' }, depth), 'text'));
      expect(line).not.toContain(SECRET);
      expect(line).toContain('c-1');
    },
  );

  it('is removed from headers of any name', () => {
    const headers = { 'x-anything': SECRET, 'content-type': 'application/json' };
    for (const depth of [0, 1, 2, 3, 4, 9])
      expect(written((log) => log.info(nest({ headers }, depth), 'sent'))).not.toContain(SECRET);
  });

  it('is removed whatever the case of its member, and nothing else of the line is', () => {
    const line = record((log) =>
      log.info({ Authorization: SECRET, list: [[{ SIGNATURE: SECRET, n: 1.5 }]] }, 'a "pem": b'),
    );
    expect(line).toMatchObject({
      Authorization: '[secret]',
      list: [[{ SIGNATURE: '[secret]', n: 1.5 }]],
      msg: 'a "pem": b',
    });
  });

  it('is removed from lists', () => {
    expect(written((log) => log.info({ keys: [{ privateKey: SECRET }, { privateKey: SECRET }] }))).not.toContain(
      SECRET,
    );
  });

  it('is removed from the bindings of a child log', () => {
    const line = written((log) => log.child({ privateKey: SECRET, session: 's-1' }).info('text'));
    expect(line).not.toContain(SECRET);
    expect(line).toContain('s-1');
  });

  it('is removed from errors and from the errors within them', () => {
    const inner = failure({ signature: SECRET, headers: { 'ACCESS-SIGNATURE': SECRET } });
    const outer = failure({ request: { headers: { authorization: SECRET } }, inner, code: 'E-1' }, { cause: inner });
    const line = written((log) => log.error({ err: outer }, 'failed'));
    expect(line).not.toContain(SECRET);
    expect(line).toContain('E-1');
    expect(written((log) => log.error(outer))).not.toContain(SECRET);
  });

  it('is removed from any member, message, stack or cause when it is a private key in PEM', () => {
    const message = `could not read ${privatePem}`;
    const lines = [
      written((log) => log.info({ anything: privatePem, id: 1 }, 'text')),
      written((log) => log.info(message)),
      written((log) => log.info({ a: { b: { c: { d: { e: privatePem } } } } })),
      written((log) => log.error({ err: new Error(message) }, 'failed')),
      written((log) => log.error({ err: new Error('outer', { cause: new Error(message) }) }, 'failed')),
      written((log) => log.error({ err: new AggregateError([new Error(message)], 'several') }, 'failed')),
    ];
    for (const line of lines) {
      expect(line).not.toContain(KEY_BODY.slice(0, 24));
      expect(() => JSON.parse(line) as unknown).not.toThrow();
    }
  });

  it('is removed although a private key is cut short', () => {
    const line = written((log) => log.info({ anything: privatePem.slice(0, 90), clientOrderId: 'c-1' }, 'text'));
    expect(line).not.toContain(KEY_BODY.slice(0, 24));
    expect(JSON.parse(line)).toMatchObject({ clientOrderId: 'c-1', msg: 'text' });
  });
});

describe('an id', () => {
  it('is logged with the time and the message, and nothing about the machine', () => {
    const ids = { clientOrderId: 's-0-1', venueOrderId: 'v-1', tradeId: 't-1', ticker: 'RAIN', publicKey: 'open' };
    const line = record((log) => log.warn(ids, 'order rejected'));
    expect(line).toMatchObject({ ...ids, level: 40, msg: 'order rejected' });
    expect(Object.keys(line)).not.toContain('hostname');
    expect(Object.keys(line)).not.toContain('pid');
    expect(line['time']).toMatch(/^\d{4}-\d{2}-\d{2}T/);
  });
});

describe('a log file', () => {
  it('is created with its folder, and holds the logged lines once flushed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-log-'));
    const file = join(folder, 'deep', 'er', 'bot.log');
    const log = openLog({ level: 'info', file });
    log.debug('below the level of the log');
    log.info({ clientOrderId: 'c-1', pem: privatePem }, 'text');
    log.flush();
    const text = await vi.waitUntil(() => existsSync(file) && readFileSync(file, 'utf8'), { timeout: PATIENCE_MS });
    const lines = text.trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ clientOrderId: 'c-1', pem: '[secret]', msg: 'text' });
    rmSync(folder, { recursive: true });
  });

  it('can be read by its owner alone, like the folder that was made for it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-log-'));
    openLog({ level: 'info', file: join(folder, 'new', 'bot.log') });
    expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'new', 'bot.log')).mode & 0o777).toBe(0o600);
    rmSync(folder, { recursive: true });
  });

  it('is named in the error when it cannot be opened', () => {
    expect(() => openLog({ level: 'info', file: tmpdir() })).toThrow(LogFault);
    expect(() => openLog({ level: 'info', file: tmpdir() })).toThrow(`the log ${tmpdir()} cannot be opened: EISDIR`);
  });

  it.runIf(existsSync('/dev/full'))('is given up with one message on stderr when the disk is full', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const log = openLog({ level: 'info', file: '/dev/full' });
      log.info('one');
      await vi.waitUntil(() => stderr.mock.calls.length > 0, { timeout: PATIENCE_MS });
      log.info('two');
      log.flush();
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(stderr.mock.calls.map(([text]) => text)).toEqual([
        'presage: the log /dev/full cannot be written and ends here: ENOSPC: no space left on device, write\n',
      ]);
    } finally {
      stderr.mockRestore();
    }
  });

  it('is rotated when it is full: no line is lost or split, and the oldest file is deleted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-log-'));
    const file = join(folder, 'bot.log');
    const options = { file, bytesMax: 500, kept: 2, onLost: (fault: Error) => expect.unreachable(fault.message) };
    const log = logTo(new RollingFile(options), 'info');
    for (let number = 0; number < 40; number++) log.info({ number }, 'text');
    const names = (): string[] => readdirSync(folder).sort();
    const read = (name: string): number[] =>
      readFileSync(join(folder, name), 'utf8')
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { number: number }).number);
    expect(names()).toEqual(['bot.log', 'bot.log.1', 'bot.log.2']);
    log.flush();
    const all = (): number[] => ['bot.log.2', 'bot.log.1', 'bot.log'].flatMap(read);
    await vi.waitFor(() => expect(all().at(-1)).toBe(39), { timeout: 20_000 });
    const numbers = all();
    expect(numbers).toEqual(numbers.map((_, at) => 40 - numbers.length + at));
    expect(numbers.length).toBeGreaterThan(10);
    for (const name of names()) {
      expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(500);
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    }
    rmSync(folder, { recursive: true });
  });

  it('is continued, and its existing bytes count towards its size', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-log-'));
    const file = join(folder, 'bot.log');
    writeFileSync(file, `${'x'.repeat(490)}\n`);
    const log = logTo(new RollingFile({ file, bytesMax: 500, kept: 1, onLost: () => undefined }), 'info');
    log.info('first');
    log.flush();
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toContain('first'), { timeout: 20_000 });
    expect(readFileSync(`${file}.1`, 'utf8')).toMatch(/^x+\n$/);
    rmSync(folder, { recursive: true });
  });

  it('keeps growing when no other file can be made', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-log-'));
    const file = join(folder, 'bot.log');
    // The full file cannot be renamed, because a folder has that name.
    mkdirSync(`${file}.2`);
    mkdirSync(`${file}.1`);
    const log = logTo(new RollingFile({ file, bytesMax: 200, kept: 2, onLost: () => undefined }), 'info');
    for (let number = 0; number < 9; number++) log.info({ number }, 'text');
    log.flush();
    await vi.waitFor(() => expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(9), { timeout: 20_000 });
    rmSync(folder, { recursive: true });
  });

  it('begins a new file at midnight UTC, once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-log-'));
    const file = join(folder, 'bot.log');
    let now = Date.UTC(2026, 10, 23, 23, 59, 59, 999);
    const onLost = (fault: Error) => expect.unreachable(fault.message);
    const rolling = new RollingFile({ file, bytesMax: 1e6, kept: 5, onLost, now: () => now });
    rolling.write('before\n');
    now += 1;
    rolling.write('after\n');
    rolling.write('later\n');
    rolling.flush();
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toBe('after\nlater\n'), { timeout: PATIENCE_MS });
    expect(readFileSync(`${file}.1`, 'utf8')).toBe('before\n');
    now += 86_400_000;
    rolling.write('next day\n');
    rolling.flush();
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toBe('next day\n'), { timeout: PATIENCE_MS });
    expect(readFileSync(`${file}.2`, 'utf8')).toBe('before\n');
    rmSync(folder, { recursive: true });
  });

  it('of yesterday is moved away by the first line of a new process', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-log-'));
    const file = join(folder, 'bot.log');
    writeFileSync(file, 'yesterday\n');
    const yesterday = Date.now() / 1000 - 86_400;
    utimesSync(file, yesterday, yesterday);
    const log = openLog({ level: 'info', file });
    log.info('today');
    log.flush();
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toContain('today'), { timeout: PATIENCE_MS });
    expect(readFileSync(`${file}.1`, 'utf8')).toBe('yesterday\n');
    rmSync(folder, { recursive: true });
  });

  it('loses its oldest full files beyond its age and its size, and nothing else', () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-log-'));
    const file = join(folder, 'bot.log');
    const now = Date.now();
    const write = (name: string, days: number, bytes: number): void => {
      writeFileSync(join(folder, name), 'x'.repeat(bytes));
      utimesSync(join(folder, name), now / 1000 - days * 86_400, now / 1000 - days * 86_400);
    };
    write('bot.log.1', 1, 100);
    write('bot.log.2', 2, 100);
    write('bot.log.3', 3, 900);
    write('bot.log.4', 31, 100);
    for (const other of ['bot.log.old', 'bot.log.1.gz', 'bot.logs.1', 'other.log.9']) write(other, 400, 5000);
    const options = { file, bytesMax: 1000, kept: 9, onLost: () => undefined };
    new RollingFile({ ...options, ageMsMax: 30 * 86_400_000 }).flush();
    const numbered = (): string[] => readdirSync(folder).filter((name) => /^bot\.log\.\d+$/.test(name));
    expect(numbered().sort()).toEqual(['bot.log.1', 'bot.log.2', 'bot.log.3']);
    new RollingFile({ ...options, bytesKeptMax: 1000 }).flush();
    expect(numbered().sort()).toEqual(['bot.log.1', 'bot.log.2']);
    expect(readdirSync(folder)).toHaveLength(7);
    rmSync(folder, { recursive: true });
  });

  it('is opened again by the same name after another program has moved it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-log-'));
    const file = join(folder, 'bot.log');
    const log = openLog({ level: 'info', file });
    log.info('before');
    renameSync(file, join(folder, 'moved.log'));
    expect(reopenLog(log)).toBeNull();
    log.info('after');
    log.flush();
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toContain('after'), { timeout: PATIENCE_MS });
    await vi.waitFor(() => expect(readFileSync(join(folder, 'moved.log'), 'utf8')).toContain('before'), {
      timeout: PATIENCE_MS,
    });
    expect(readFileSync(file, 'utf8')).not.toContain('before');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    rmSync(folder, { recursive: true });
  });

  it('goes on in its old file when it cannot be opened again, and says why', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-log-'));
    const file = join(folder, 'bot.log');
    const log = openLog({ level: 'info', file });
    log.info('before');
    renameSync(file, join(folder, 'moved.log'));
    mkdirSync(file);
    expect(reopenLog(log)).toMatch(/^the log cannot be opened: EISDIR/);
    log.info('after');
    log.flush();
    await vi.waitFor(() => expect(readFileSync(join(folder, 'moved.log'), 'utf8')).toContain('after'), {
      timeout: PATIENCE_MS,
    });
    expect(reopenLog(logTo({ write: () => undefined }))).toBe('this log has no file');
    rmSync(folder, { recursive: true });
  });

  it.runIf(existsSync('/dev/full'))('is written again once it is reopened with room on the disk', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'presage-log-'));
    const file = join(folder, 'bot.log');
    symlinkSync('/dev/full', file);
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const log = openLog({ level: 'info', file });
      log.info('lost');
      await vi.waitUntil(() => stderr.mock.calls.length > 0, { timeout: PATIENCE_MS });
      log.info('lost, too');
      rmSync(file);
      expect(reopenLog(log)).toBeNull();
      log.info('written');
      log.flush();
      await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toContain('written'), { timeout: PATIENCE_MS });
      expect(readFileSync(file, 'utf8')).not.toContain('lost');
      expect(stderr.mock.calls).toHaveLength(1);
    } finally {
      stderr.mockRestore();
      rmSync(folder, { recursive: true });
    }
  });
});
