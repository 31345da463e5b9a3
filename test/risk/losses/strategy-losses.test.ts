// Losses of a strategy that halt it alone: of the day and from its highest profit, across restarts.
import { describe, expect, it } from 'vitest';
import type { SavedLedgers, LossBaseline } from '../../../src/domain/operator-order.ts';
import { type Qty, cents, contracts, dollars, micros } from '../../../src/domain/units.ts';
import { BEGIN, MAKER, aHalt, after, tickerOf } from '../../support/engine/builders.ts';
import { OTHER, GuardScene } from '../guard-scene.ts';

const OF_MAKER = { type: 'strategy', strategy: MAKER } as const;
const DAY = 86_400_000;

/** The maker bought ten at 55 cents in a book of 45 to 55: selling them now would lose a dollar. */
const bought = (scene: GuardScene): GuardScene =>
  scene.trade({ side: 'buy', price: cents(55), qty: contracts(10) }, MAKER);

const books = (losses: LossBaseline): SavedLedgers => {
  const book = { strategy: MAKER, realized: dollars(0), fees: dollars(0), losses, positions: [] };
  return { at: BEGIN, session: 's', strategies: [MAKER], books: [book], others: [], orders: [], fills: [] };
};

const keptIn = (scene: GuardScene): (LossBaseline | null | undefined)[] =>
  scene.notices.flatMap((notice) => (notice.type === 'books' ? notice.books.books.map(({ losses }) => losses) : []));

describe('a loss of a strategy beyond its own limit', () => {
  it.each(['dailyLossMax', 'drawdownMax'] as const)('halts it alone, with figures: %s', (name) => {
    const scene = bought(new GuardScene({ own: { [name]: dollars(0.99) } }));
    expect(scene.halted).toEqual([
      {
        scope: OF_MAKER,
        reason: `strategy limit: ${name === 'dailyLossMax' ? "the day's loss" : 'the loss from the peak'} $1.00 is above ${name} $0.99`,
      },
    ]);
    scene.at(after(10_000));
    expect(scene.halted).toHaveLength(1);
  });

  it("is not reached at the limit, nor by another strategy's loss", () => {
    const scene = bought(new GuardScene({ own: { dailyLossMax: dollars(1) } }));
    scene.trade({ side: 'buy', price: cents(55), qty: contracts(50) }, OTHER);
    expect(scene.halted).toEqual([]);
  });

  it('is found although another strategy gained as much', () => {
    const scene = new GuardScene({ own: { dailyLossMax: dollars(0.99) } });
    scene.trade({ side: 'sell', price: cents(55), qty: contracts(10) }, OTHER);
    scene.trade({ side: 'buy', price: cents(55), qty: contracts(10) }, MAKER);
    expect(scene.halted.map(({ scope }) => scope)).toEqual([OF_MAKER]);
  });

  it('is counted from the start of the day, and again from the start of the next', () => {
    const scene = bought(new GuardScene({ own: { dailyLossMax: dollars(1.5) } }));
    scene.at(after(DAY)).book(40, 50, after(DAY + 1000));
    scene.at(after(DAY + 2000));
    expect(scene.halted).toEqual([]);
    scene.book(29, 50, after(DAY + 3000)).at(after(DAY + 4000));
    expect(scene.halted[0]?.reason).toBe("strategy limit: the day's loss $1.60 is above dailyLossMax $1.50");
  });

  it('restarts from the peak when the operator resumes the strategy', () => {
    const scene = bought(new GuardScene({ own: { drawdownMax: dollars(0.5) } }));
    scene.halts.liftHalts(OF_MAKER);
    scene.guard.onResume([aHalt({ scope: OF_MAKER, by: 'risk' })]);
    scene.at(after(5000));
    expect(scene.halted).toHaveLength(1);
    scene.book(39, 49, after(6000)).at(after(7000));
    expect(scene.halted).toHaveLength(2);
  });

  it('continues after a restart, both of the day and from the peak', () => {
    const carried = { day: '1970-01-01', dayEquity: dollars(0.5), peakEquity: dollars(2) };
    const scene = new GuardScene({ own: { dailyLossMax: dollars(1.2) }, carried: { books: books(carried) } });
    expect(scene.halted).toEqual([]);
    bought(scene);
    expect(scene.halted[0]?.reason).toContain("the day's loss $1.50");
    scene.at(micros(scene.state.now + 2_000_000));
    expect(keptIn(scene).at(-1)).toEqual(carried);
  });

  it('is not computed from cost, even where two strategies offset each other in the account', () => {
    const losses = { day: '1970-01-01', dayEquity: dollars(1), peakEquity: dollars(1) };
    const held = (size: Qty) => [{ ticker: tickerOf(0), qty: size, cost: dollars(4) }];
    const [mine] = books(losses).books;
    const saved: SavedLedgers = {
      ...books(losses),
      books: [
        { ...mine!, positions: held(contracts(10)) },
        { ...mine!, strategy: OTHER, losses: null, positions: held(contracts(-10)) },
      ],
    };
    const scene = new GuardScene({ own: { drawdownMax: dollars(0.5) }, carried: { books: saved }, held: [] });
    expect(scene.at(after(5000)).halted).toEqual([]);
    scene.book(50, 55, after(6000)).at(after(20_000));
    expect(scene.halted).toEqual([]);
    scene.book(44, 55, after(21_000)).at(after(22_000));
    expect(scene.halted.map(({ scope }) => scope)).toEqual([OF_MAKER]);
  });

  it('is not computed where the strategy has no such limit', () => {
    const scene = bought(new GuardScene({ own: { positionQtyMax: contracts(100) } }));
    scene.at(after(2000));
    expect(keptIn(scene).at(-1)).toBeNull();
  });
});
