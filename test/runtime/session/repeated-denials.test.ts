// Equal denials: the first is reported, the others are counted once a minute.
import { describe, expect, it } from 'vitest';
import type { Denial } from '../../../src/domain/denial.ts';
import { strategyName } from '../../../src/domain/ids.ts';
import { cents, contracts } from '../../../src/domain/units.ts';
import type { Notice } from '../../../src/execution/engine-notice.ts';
import { RepeatedDenials, denialCountText } from '../../../src/runtime/session/repeated-denials.ts';
import { BEGIN, M0, M1, MAKER, after } from '../../support/engine/builders.ts';

const HALTED: Denial = { code: 'halted', scope: 'account', by: 'operator', reason: 'test' };
const stale = (ageMs: number): Denial => ({ code: 'book-stale', ageMs, bookAgeMsMax: 5 });
const denied = (denial: Denial, market = M0, strategy = MAKER): Extract<Notice, { type: 'denied' }> => ({
  type: 'denied',
  strategy,
  intent: { type: 'place', market, side: 'buy', price: cents(40), qty: contracts(1) },
  denial,
});

describe('repeated denials', () => {
  it('report the first of a kind, and a count of the others each minute', () => {
    const denials = new RepeatedDenials();
    expect(denials.countDenial(denied(stale(6)), BEGIN)).toBe(true);
    for (let count = 1; count <= 50; count++)
      expect(denials.countDenial(denied(stale(6 + count)), after(count * 1000))).toBe(false);
    expect(denials.takeDue(after(59_999))).toEqual([]);
    const [report] = denials.takeDue(after(60_000));
    expect(report).toMatchObject({ strategy: MAKER, code: 'book-stale', market: M0, count: 50, span: 60_000_000 });
    expect(report && denialCountText(report)).toBe(
      '50 more times in 60 s: the book was last confirmed 56 ms ago, bookAgeMsMax is 5',
    );
    expect(denials.takeDue(after(61_000))).toEqual([]);
  });

  it('are new again after a minute without one', () => {
    const denials = new RepeatedDenials();
    denials.countDenial(denied(stale(6)), BEGIN);
    expect(denials.takeDue(after(60_000))).toEqual([]);
    expect(denials.countDenial(denied(stale(6)), after(61_000))).toBe(true);
  });

  it('are apart by strategy, code and market, but not by market where none matters', () => {
    const denials = new RepeatedDenials();
    const isFirst = (...args: Parameters<typeof denied>): boolean => denials.countDenial(denied(...args), BEGIN);
    expect([isFirst(stale(6)), isFirst(stale(6), M1), isFirst(stale(6), M0, strategyName('other'))]).toEqual([
      true,
      true,
      true,
    ]);
    expect([isFirst(HALTED), isFirst(HALTED, M1)]).toEqual([true, false]);
    expect([isFirst({ ...HALTED, scope: 'market' }), isFirst({ ...HALTED, scope: 'market' }, M1)]).toEqual([
      true,
      true,
    ]);
    expect([isFirst({ code: 'stopping' }), isFirst({ code: 'stopping' }, M1)]).toEqual([true, false]);
  });

  it('report every count at the end, and hold a bounded number', () => {
    const denials = new RepeatedDenials();
    for (const _ of [1, 2, 3]) denials.countDenial(denied(HALTED), BEGIN);
    expect(denials.takeAll(after(1000))).toMatchObject([{ count: 2, span: 1_000_000 }]);
    expect(denials.takeAll(after(1000))).toEqual([]);
    for (let market = 0; market < 3000; market++) denials.countDenial(denied(stale(6), market as typeof M0), BEGIN);
    for (let market = 0; market < 3000; market++) denials.countDenial(denied(stale(6), market as typeof M0), BEGIN);
    expect(denials.takeAll(after(2000)).length).toBe(1000);
  });
});
