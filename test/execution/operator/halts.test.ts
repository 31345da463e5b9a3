// Halts: which orders they block, and that only a resume of the same scope lifts them.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { strategyName, ticker } from '../../../src/domain/ids.ts';
import { micros } from '../../../src/domain/units.ts';
import type { Halt, HaltScope, HaltedBy } from '../../../src/domain/operator-order.ts';
import { Halts, isInHaltScope, scopeKey } from '../../../src/execution/operator/halts.ts';
import { aHalt } from '../../support/engine/builders.ts';

const NAMES = ['account', 'a', 'b', 'strategy=a'].map(strategyName);
const TICKERS = ['account', 'M', 'N', 'market=M'].map(ticker);

const scopes: fc.Arbitrary<HaltScope> = fc.oneof(
  fc.constant<HaltScope>({ type: 'account' }),
  fc.constantFrom(...NAMES).map((strategy): HaltScope => ({ type: 'strategy', strategy })),
  fc.constantFrom(...TICKERS).map((name): HaltScope => ({ type: 'market', ticker: name })),
);
const halts: fc.Arbitrary<Halt> = fc.record({
  scope: scopes,
  by: fc.constantFrom<HaltedBy>('operator', 'risk', 'watchdog', 'fault'),
  reason: fc.string(),
  since: fc.constant(aHalt().since),
});
type Act = { readonly set: Halt } | { readonly lift: HaltScope };
const acts: fc.Arbitrary<Act> = fc.oneof(
  halts.map((set): Act => ({ set })),
  scopes.map((lift): Act => ({ lift })),
);

describe('halts', () => {
  it('blocks exactly the orders within a halted scope, whatever was halted and lifted before', () => {
    fc.assert(
      fc.property(fc.array(acts, { maxLength: 30 }), (script) => {
        const under = new Halts();
        let model: Halt[] = [];
        for (const act of script) {
          if ('lift' in act) {
            under.liftHalts(act.lift);
            model = model.filter(({ scope }) => scopeKey(scope) !== scopeKey(act.lift));
          } else if (under.addHalt(act.set)?.isNew) model.push(act.set);
          else if (act.set.by === 'operator')
            model = model.map((halt) =>
              halt.by === 'operator' && scopeKey(halt.scope) === scopeKey(act.set.scope) ? act.set : halt,
            );
        }
        expect(new Set(under.listHalts())).toEqual(new Set(model));
        for (const name of NAMES)
          for (const market of TICKERS) {
            const blocking = under.blockingHalt(name, market);
            expect(blocking !== null).toBe(model.some(({ scope }) => isInHaltScope(scope, name, market)));
            if (blocking) expect(isInHaltScope(blocking.scope, name, market)).toBe(true);
          }
      }),
    );
  });

  it('keeps the first reason of each author who halts a scope', () => {
    const under = new Halts();
    expect(under.addHalt(aHalt({ reason: 'first' }))).toMatchObject({ isNew: true });
    expect(under.addHalt(aHalt({ reason: 'second' }))).toBeNull();
    expect(under.addHalt(aHalt({ by: 'operator', reason: 'by hand' }))).toMatchObject({ isNew: true });
    expect(under.listHalts().map(({ reason }) => reason)).toEqual(['first', 'by hand']);
    expect(under.liftHalts(aHalt().scope)).toHaveLength(2);
    expect(under.listHalts()).toEqual([]);
  });

  it('takes the reason that the operator gives after his halt, and keeps the time of the halt', () => {
    const under = new Halts();
    const first = aHalt({ by: 'operator', reason: 'by hand' });
    under.addHalt(first);
    under.addHalt(aHalt({ reason: 'a loss' }));
    const later = { ...first, reason: 'the books look odd', since: micros(first.since + 1) };
    const changed = { ...first, reason: 'the books look odd' };
    expect(under.addHalt(later)).toEqual({ halt: changed, isNew: false });
    expect(under.addHalt(later)).toBeNull();
    expect(under.listHalts()).toEqual([changed, aHalt({ reason: 'a loss' })]);
  });

  it('names the halt of the account before narrower ones', () => {
    const under = new Halts();
    under.addHalt(aHalt());
    under.addHalt(aHalt({ scope: { type: 'account' }, reason: 'all' }));
    const { scope } = aHalt();
    const name = scope.type === 'strategy' ? scope.strategy : strategyName('none');
    expect(under.blockingHalt(name, ticker('M'))?.reason).toBe('all');
  });
});
