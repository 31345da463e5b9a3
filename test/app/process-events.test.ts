// Events of the process that end a session, and the errors that the user can correct.
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConfigError } from '../../src/base/config-error.ts';
import { AssertionFault } from '../../src/base/assert.ts';
import { StrategyFileError } from '../../src/runtime/plugins/strategy-file-error.ts';
import { KeyFault } from '../../src/venues/trade-api/signing/key-files.ts';
import { UsageError, isUserError } from '../../src/app/usage-error.ts';
import { timeLimit, firstStopSignal, outputClosed, onUncaughtFault } from '../../src/app/process-events.ts';

describe('timeLimit', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** True when the limit has passed after this time. */
  async function isOver(wait: ReturnType<typeof timeLimit>, milliseconds: number): Promise<boolean> {
    let over = false;
    void wait.passed.then(() => (over = true));
    await vi.advanceTimersByTimeAsync(milliseconds);
    return over;
  }

  it('resolves when the time has passed', async () => {
    const wait = timeLimit(1000);
    expect(await isOver(wait, 999)).toBe(false);
    expect(await isOver(wait, 1)).toBe(true);
  });

  it('supports durations longer than a timer of the platform', async () => {
    const monthMs = 30 * 86_400_000;
    const wait = timeLimit(monthMs);
    expect(await isOver(wait, monthMs - 1)).toBe(false);
    expect(await isOver(wait, 1)).toBe(true);
  });

  it('never resolves without a duration, nor after it was released', async () => {
    expect(await isOver(timeLimit(undefined), 10 * 86_400_000)).toBe(false);
    const released = timeLimit(1000);
    released.release();
    expect(await isOver(released, 10_000)).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('firstStopSignal', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'resolves with the signal’s name and removes its listener: %s',
    async (name) => {
      const before = process.listenerCount(name);
      const { signal, release } = firstStopSignal();
      expect(process.listenerCount(name)).toBe(before + 1);
      process.emit(name, name);
      await expect(signal).resolves.toBe(name);
      release();
      expect(process.listenerCount(name)).toBe(before);
    },
  );
});

describe('a closed terminal', () => {
  it('does not exit the process when it sends SIGHUP twice', () => {
    const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
    const { release } = firstStopSignal();
    process.emit('SIGHUP', 'SIGHUP');
    process.emit('SIGHUP', 'SIGHUP');
    expect(exit).not.toHaveBeenCalled();
    process.emit('SIGINT', 'SIGINT');
    expect(exit).toHaveBeenCalledExactlyOnceWith(130);
    release();
    exit.mockRestore();
  });
});

describe('outputClosed', () => {
  it('resolves once, and keeps the process alive', async () => {
    const stream = new PassThrough();
    const gone = outputClosed(stream);
    stream.emit('error', new Error('EPIPE'));
    stream.emit('error', new Error('EPIPE'));
    await expect(gone).resolves.toBe('its output was closed');
  });

  it('adds one listener to a stream for any number of sessions', async () => {
    const stream = new PassThrough();
    const waits = Array.from({ length: 20 }, () => outputClosed(stream));
    expect(stream.listenerCount('error')).toBe(1);
    stream.emit('error', new Error('EPIPE'));
    await expect(Promise.all(waits)).resolves.toHaveLength(20);
  });
});

describe('onUncaughtFault', () => {
  it('receives uncaught faults until it is released', () => {
    const taken: unknown[] = [];
    const before = process.listenerCount('unhandledRejection');
    const { release } = onUncaughtFault((fault) => taken.push(fault));
    process.listeners('unhandledRejection').at(-1)?.('a', Promise.resolve());
    process.listeners('uncaughtException').at(-1)?.(new Error('b'), 'uncaughtException');
    expect(taken).toEqual(['a', new Error('b')]);
    release();
    expect(process.listenerCount('unhandledRejection')).toBe(before);
  });
});

describe('isUserError', () => {
  const own = (name: string): Error => Object.assign(new Error('x'), { name });

  it.each([
    new UsageError('x'),
    new ConfigError('bot.yaml', []),
    new StrategyFileError('s.ts', 'x'),
    new KeyFault('k', 'x'),
    own('StoreError'),
    own('ListingError'),
    own('FeedKeyError'),
  ])('is true for $name', (fault) => {
    expect(isUserError(fault)).toBe(true);
  });

  it.each([new AssertionFault('x'), new TypeError('x'), 'x', null, { name: 'UsageError' }])(
    'is false for anything else: %o',
    (fault) => {
      expect(isUserError(fault)).toBe(false);
    },
  );
});
