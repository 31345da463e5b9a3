// The pool with a clock and turns of its own: every signature once, none stale, and never more than one made a turn.
import { describe, expect, it } from 'vitest';
import { type Micros, micros } from '../../../src/domain/units.ts';
import { serviceProfile } from '../../../src/venues/trade-api/profiles/service.ts';
import { SignaturePool, type Signed } from '../../../src/venues/trade-api/signature-pool.ts';

const POST = { method: 'POST', path: '/trade-api/v2/portfolio/orders' };
const START = 1_700_000_000_000_000;

function atOnce(signed: Signed | Promise<Signed>): Signed {
  if (signed instanceof Promise) throw new Error('promised');
  return signed;
}

function world(depth = 3) {
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
    maxAgeMs: 4000,
    later: (act) => (turns.push(act), off(turns, act)),
    after: (_delayMs, act) => (timers.push(act), off(timers, act)),
  });
  return {
    pool,
    made: () => made,
    pass: (milliseconds: number) => {
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
  it('are made one a turn, until there are enough', () => {
    const { pool, made, turn, turns, settle } = world();
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

  it('are each used once and never carry the same timestamp', () => {
    const { pool, made, settle } = world(5);
    void pool.fillNow();
    const taken = [1, 2, 3, 4, 5].map(() => atOnce(pool.take(POST)));
    expect(made()).toBe(5);
    settle();
    taken.push(...[1, 2, 3].map(() => atOnce(pool.take(POST))));
    expect(new Set(taken.map(({ timestamp }) => timestamp)).size).toBe(8);
    for (const { timestamp, signature } of taken) expect(signature).toBe(`signed ${timestamp}POST${POST.path}`);
  });

  it('are refilled after they were taken, off the taking turn', () => {
    const { pool, made, settle } = world();
    void pool.fillNow();
    void pool.take(POST);
    expect(made()).toBe(3);
    settle();
    expect(made()).toBe(4);
    expect(pool.readyCount).toBe(3);
  });

  it('are not used once they are too old: one is made on the spot', () => {
    const { pool, made, pass } = world();
    void pool.fillNow();
    pass(4001);
    expect(pool.readyCount).toBe(0);
    expect(atOnce(pool.take(POST)).timestamp).toBe(String(START / 1000 + 4001));
    expect(made()).toBe(4);
  });

  it('are not used when the clock was set back', () => {
    const { pool, pass } = world();
    void pool.fillNow();
    pass(-10_000);
    expect(atOnce(pool.take(POST)).timestamp).toBe(String(START / 1000 - 10_000));
  });

  it('are replaced before they grow old', () => {
    const { pool, pass, settle, timers } = world();
    pool.start();
    settle();
    pass(2500);
    timers.shift()?.();
    settle();
    pass(2500);
    expect(pool.readyCount).toBe(3);
  });

  it('fall back to signing on the spot when there are none, or for a path that is not prepared', () => {
    const { pool, made } = world();
    expect(atOnce(pool.take(POST)).signature).toContain('POST');
    expect(atOnce(pool.take({ method: 'DELETE', path: '/x' })).signature).toContain('DELETE/x');
    expect(made()).toBe(2);
  });

  it('are no longer made after the stop', () => {
    const { pool, turns, timers } = world();
    pool.start();
    pool.stop();
    expect(turns).toEqual([]);
    expect(timers).toEqual([]);
    void pool.take(POST);
    expect(turns).toEqual([]);
  });
});

/** A pool over a signer that gives promises, which the test keeps or breaks. */
function slowWorld() {
  const asked: { readonly text: string; keep(): void; fail(): void }[] = [];
  const turns: (() => void)[] = [];
  const pool = new SignaturePool({
    signing: serviceProfile.signing,
    sign: (text) =>
      new Promise((resolve, reject) => {
        asked.push({ text, keep: () => resolve(`signed ${text}`), fail: () => reject(new Error('no')) });
      }),
    venueNow: () => micros(START),
    requests: [POST],
    depth: 3,
    maxAgeMs: 4000,
    later: (act) => (turns.push(act), () => turns.splice(turns.indexOf(act), 1)),
    after: () => () => undefined,
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { pool, asked, turns, settled, turn: () => turns.shift()?.() };
}

describe('a signer that takes its time', () => {
  it('is asked for one after the other', async () => {
    const { pool, asked, turn, turns, settled } = slowWorld();
    pool.start();
    turn();
    for (let made = 1; made <= 3; made++) {
      await settled();
      expect([asked.length, pool.readyCount, turns.length]).toEqual([made, made - 1, 0]);
      asked[made - 1]?.keep();
      await settled();
      turn();
    }
    expect([asked.length, pool.readyCount, turns.length]).toEqual([3, 3, 0]);
  });

  it('is not asked for a second one by whoever takes one meanwhile', async () => {
    const { pool, asked, turns, settled } = slowWorld();
    const filled = pool.fillNow();
    const taken = pool.take(POST);
    expect([asked.length, turns.length]).toEqual([2, 0]);
    for (let made = 0; made < 4; made++) {
      asked[made]?.keep();
      await settled();
    }
    await filled;
    expect(asked.length).toBe(4);
    expect(pool.readyCount).toBe(3);
    expect(await taken).toMatchObject({ signature: `signed ${asked[1]?.text}` });
  });

  it('leaves nothing in the pool after the stop', async () => {
    const { pool, asked, settled } = slowWorld();
    const filled = pool.fillNow();
    pool.stop();
    asked[0]?.keep();
    await filled;
    await settled();
    expect([asked.length, pool.readyCount]).toEqual([1, 0]);
  });

  it('tells whoever takes one that it failed, and is asked again at the next', async () => {
    const { pool, asked, turn, turns, settled } = slowWorld();
    pool.start();
    turn();
    asked[0]?.fail();
    await settled();
    expect(turns).toEqual([]);
    const taken = pool.take(POST);
    asked[1]?.fail();
    await expect(taken).rejects.toThrow('no');
    expect(turns).toHaveLength(1);
  });
});
