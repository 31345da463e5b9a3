// The pool with its own clock and turns: every signature is used once, none is stale, and no more are made per turn than allowed.
import { describe, expect, it } from 'vitest';
import { type Micros, micros } from '../../../../src/domain/units.ts';
import { serviceProfile } from '../../../../src/venues/trade-api/profiles/service-profile.ts';
import { SignaturePool, type TimedSignature } from '../../../../src/venues/trade-api/signing/signature-pool.ts';

const POST = { method: 'POST', path: '/trade-api/v2/portfolio/orders' };
const START = 1_700_000_000_000_000;

function synchronous(signed: TimedSignature | Promise<TimedSignature>): TimedSignature {
  if (signed instanceof Promise) throw new Error('promised');
  return signed;
}

function setUp(depth = 3, perTurn = 1) {
  let now: Micros = micros(START);
  let made = 0;
  const turns: (() => void)[] = [];
  const timers: (() => void)[] = [];
  const off = (list: (() => void)[], act: () => void) => () => {
    const at = list.indexOf(act);
    if (at >= 0) list.splice(at, 1);
  };
  const pool = new SignaturePool({
    signing: serviceProfile.signing,
    sign: (text) => {
      made += 1;
      return `signed ${text}`;
    },
    venueNow: () => now,
    requests: [POST],
    depth,
    perTurn,
    maxAgeMs: 4000,
    later: (act) => (turns.push(act), off(turns, act)),
    after: (_delayMs, act) => (timers.push(act), off(timers, act)),
  });
  return {
    pool,
    made: () => made,
    advance: (milliseconds: number) => {
      now = micros(now + milliseconds * 1000);
    },
    turn: () => turns.shift()?.(),
    turns,
    timers,
    settle: () => {
      while (turns.length > 0) turns.shift()?.();
    },
  };
}

describe('signatures prepared ahead', () => {
  it('prepares one signature per turn, until there are enough', () => {
    const { pool, made, turn, turns, settle } = setUp();
    pool.start();
    expect(made()).toBe(0);
    turn();
    expect(made()).toBe(1);
    turn();
    expect(made()).toBe(2);
    settle();
    expect(made()).toBe(3);
    expect(turns).toEqual([]);
  });

  it('prepares as many per turn as a quick signer may', () => {
    const { pool, made, turn, turns } = setUp(5, 3);
    pool.start();
    turn();
    expect(made()).toBe(3);
    turn();
    expect(made()).toBe(5);
    expect(turns).toEqual([]);
  });

  it('uses each signature once and never repeats a timestamp', () => {
    const { pool, made, settle } = setUp(5);
    void pool.fillNow();
    const taken = [1, 2, 3, 4, 5].map(() => synchronous(pool.takeSignature(POST)));
    expect(made()).toBe(5);
    settle();
    taken.push(...[1, 2, 3].map(() => synchronous(pool.takeSignature(POST))));
    expect(new Set(taken.map(({ timestamp }) => timestamp)).size).toBe(8);
    for (const { timestamp, signature } of taken) expect(signature).toBe(`signed ${timestamp}POST${POST.path}`);
  });

  it('refills after a signature is taken, in a later turn', () => {
    const { pool, made, settle } = setUp();
    void pool.fillNow();
    void pool.takeSignature(POST);
    expect(made()).toBe(3);
    settle();
    expect(made()).toBe(4);
    expect(pool.readyCount).toBe(3);
  });

  it('does not use signatures that are too old, and signs at once instead', () => {
    const { pool, made, advance } = setUp();
    void pool.fillNow();
    advance(4001);
    expect(pool.readyCount).toBe(0);
    expect(synchronous(pool.takeSignature(POST)).timestamp).toBe(String(START / 1000 + 4001));
    expect(made()).toBe(4);
  });

  it('does not use signatures after the clock was set back', () => {
    const { pool, advance } = setUp();
    void pool.fillNow();
    advance(-10_000);
    expect(synchronous(pool.takeSignature(POST)).timestamp).toBe(String(START / 1000 - 10_000));
  });

  it('replaces signatures before they expire', () => {
    const { pool, advance, settle, timers } = setUp();
    pool.start();
    settle();
    advance(2500);
    timers.shift()?.();
    settle();
    advance(2500);
    expect(pool.readyCount).toBe(3);
  });

  it('signs at once when no signature is ready, or for a path that is not prepared', () => {
    const { pool, made } = setUp();
    expect(synchronous(pool.takeSignature(POST)).signature).toContain('POST');
    expect(synchronous(pool.takeSignature({ method: 'DELETE', path: '/x' })).signature).toContain('DELETE/x');
    expect(made()).toBe(2);
  });

  it('remembers a timestamp only while a repeated request could get it again', () => {
    const { pool, advance } = setUp();
    void pool.fillNow();
    for (let order = 0; order < 5000; order++) {
      advance(order % 10);
      void pool.takeSignature({ method: 'DELETE', path: `/portfolio/orders/${order}` });
    }
    expect(pool.stampCount).toBeLessThan(10);
    advance(-60_000);
    for (let order = 0; order < 5000; order++) {
      advance(1);
      void pool.takeSignature({ method: 'DELETE', path: `/portfolio/orders/${order}` });
    }
    expect(pool.stampCount).toBeLessThan(10);
  });

  it('prepares nothing after `stop`', () => {
    const { pool, turns, timers } = setUp();
    pool.start();
    pool.stop();
    expect(turns).toEqual([]);
    expect(timers).toEqual([]);
    void pool.takeSignature(POST);
    expect(turns).toEqual([]);
  });
});

/** A pool over a signer whose promises the test resolves or rejects. */
function asynchronousPool() {
  const requests: { readonly text: string; resolve(): void; reject(): void }[] = [];
  const turns: (() => void)[] = [];
  const pool = new SignaturePool({
    signing: serviceProfile.signing,
    sign: (text) =>
      new Promise((resolve, reject) => {
        requests.push({ text, resolve: () => resolve(`signed ${text}`), reject: () => reject(new Error('no')) });
      }),
    venueNow: () => micros(START),
    requests: [POST],
    depth: 3,
    maxAgeMs: 4000,
    later: (act) => (turns.push(act), () => turns.splice(turns.indexOf(act), 1)),
    after: () => () => undefined,
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { pool, requests, turns, settled, turn: () => turns.shift()?.() };
}

describe('an asynchronous signer', () => {
  it('asks an asynchronous signer for one signature at a time', async () => {
    const { pool, requests, turn, turns, settled } = asynchronousPool();
    pool.start();
    turn();
    for (let made = 1; made <= 3; made++) {
      await settled();
      expect([requests.length, pool.readyCount, turns.length]).toEqual([made, made - 1, 0]);
      requests[made - 1]?.resolve();
      await settled();
      turn();
    }
    expect([requests.length, pool.readyCount, turns.length]).toEqual([3, 3, 0]);
  });

  it('asks for no second signature of the pool when one is taken meanwhile', async () => {
    const { pool, requests, turns, settled } = asynchronousPool();
    const filled = pool.fillNow();
    const taken = pool.takeSignature(POST);
    expect([requests.length, turns.length]).toEqual([2, 0]);
    for (let made = 0; made < 4; made++) {
      requests[made]?.resolve();
      await settled();
    }
    await filled;
    expect(requests.length).toBe(4);
    expect(pool.readyCount).toBe(3);
    expect(await taken).toMatchObject({ signature: `signed ${requests[1]?.text}` });
  });

  it('leaves nothing in the pool after `stop`', async () => {
    const { pool, requests, settled } = asynchronousPool();
    const filled = pool.fillNow();
    pool.stop();
    requests[0]?.resolve();
    await filled;
    await settled();
    expect([requests.length, pool.readyCount]).toEqual([1, 0]);
  });

  it('reports a failed signature to its taker, and asks again for the next', async () => {
    const { pool, requests, turn, turns, settled } = asynchronousPool();
    pool.start();
    turn();
    requests[0]?.reject();
    await settled();
    expect(turns).toEqual([]);
    const taken = pool.takeSignature(POST);
    requests[1]?.reject();
    await expect(taken).rejects.toThrow('no');
    expect(turns).toHaveLength(1);
  });
});

describe('a request that is added later', () => {
  const BATCH = { method: 'POST', path: '/trade-api/v2/portfolio/orders/batched' };

  it('is signed at once the first time, and has signatures ready after it', () => {
    const { pool, made, settle } = setUp();
    expect(synchronous(pool.takeSignature(BATCH)).signature).toContain('orders/batched');
    expect(made()).toBe(1);
    pool.addRequest(BATCH);
    pool.addRequest(BATCH);
    settle();
    expect(made()).toBe(1 + 3 + 3);
    expect(synchronous(pool.takeSignature(BATCH)).signature).toContain('orders/batched');
    expect(made()).toBe(7);
  });
});
