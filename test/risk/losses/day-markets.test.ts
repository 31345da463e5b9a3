// The day's profit of each market: its sum is the account's, after a restart within the day, too.
import { describe, expect, it } from 'vitest';
import type { LossBaseline, SavedLedgers } from '../../../src/domain/operator-order.ts';
import { NO_MONEY, addMoney, cents, contracts, dollars } from '../../../src/domain/units.ts';
import { MarketBaselines } from '../../../src/runtime/follow/market-baselines.ts';
import { M0, after } from '../../support/engine/builders.ts';
import { GuardScene } from '../guard-scene.ts';

const dayProfitOf = ({ state, guard }: GuardScene): number => new MarketBaselines(state, guard).dayProfit(M0);

const savedBooks = ({ notices }: GuardScene): SavedLedgers | undefined =>
  notices.flatMap((notice) => (notice.type === 'books' ? [notice.books] : [])).at(-1);

const savedLosses = ({ notices }: GuardScene): LossBaseline | null =>
  notices.flatMap((notice) => (notice.type === 'losses' ? [notice.standing] : [])).at(-1) ?? null;

interface Saved {
  readonly losses: LossBaseline | null;
  readonly books: SavedLedgers | undefined;
}

/** Another session of the same account, which begins with the venue's figures of now. */
function restarted({ state: { portfolio } }: GuardScene, { losses, books }: Saved, meanwhile = NO_MONEY): GuardScene {
  const held = [...portfolio.positions()].map(([market, position]) => {
    return { market, ...position, realized: addMoney(position.realized, meanwhile) };
  });
  const cash = addMoney(portfolio.cash, meanwhile);
  return new GuardScene({ carried: { losses, ...(books && { books }) }, held, cash });
}

describe('the profit of the day of a market', () => {
  it('goes on after a restart within the day, as the account’s does', () => {
    const scene = new GuardScene();
    scene.trade({ price: cents(45), qty: contracts(10) }).book(43, 45, after(2000));
    scene.trade({ side: 'sell', price: cents(43), qty: contracts(4) }).at(after(4000));
    // Four contracts lost two cents each, and six are worth one cent less.
    expect([scene.guard.dayProfit, dayProfitOf(scene)]).toEqual([dollars(-0.14), dollars(-0.14)]);
    const losses = savedLosses(scene);
    const next = restarted(scene, { losses, books: savedBooks(scene) }).book(43, 45, after(6000));
    expect([next.guard.dayProfit, dayProfitOf(next)]).toEqual([dollars(-0.14), dollars(-0.14)]);
    next.book(45, 47, after(8000));
    expect([next.guard.dayProfit, dayProfitOf(next)]).toEqual([dollars(-0.02), dollars(-0.02)]);
    const last = restarted(next, { losses, books: savedBooks(next) }).book(45, 47, after(9000));
    expect([last.guard.dayProfit, dayProfitOf(last)]).toEqual([dollars(-0.02), dollars(-0.02)]);
  });

  it('counts what the venue booked while no session ran', () => {
    const scene = new GuardScene();
    scene.trade({ price: cents(45), qty: contracts(10) }).at(after(2000));
    const next = restarted(scene, { losses: savedLosses(scene), books: savedBooks(scene) }, dollars(0.3)).book(
      45,
      55,
      after(4000),
    );
    expect([next.guard.dayProfit, dayProfitOf(next)]).toEqual([dollars(0.8), dollars(0.8)]);
  });

  it('begins with the session after files of an earlier day, or without saved profits', () => {
    const scene = new GuardScene();
    scene.trade({ price: cents(45), qty: contracts(10) }).at(after(2000));
    const { dayMarkets, ...books } = savedBooks(scene)!;
    expect(dayMarkets).toEqual({ day: '1970-01-01', profits: [] });
    for (const other of [books, { ...books, dayMarkets: { day: '1969-12-31', profits: [] } }])
      expect(
        dayProfitOf(restarted(scene, { losses: savedLosses(scene), books: other }).book(45, 55, after(4000))),
      ).toBe(0);
  });

  it('is what the account’s is while a book is in doubt', () => {
    const scene = new GuardScene();
    scene.trade({ price: cents(45), qty: contracts(10) }).at(after(2000));
    scene.state.applyEvent({ kind: 'feed-down', at: after(3000), reason: 'lost' }, []);
    scene.at(after(4000));
    expect(scene.state.books.isLive(M0)).toBe(false);
    expect([scene.guard.dayProfit, dayProfitOf(scene)]).toEqual([dollars(0.5), dollars(0.5)]);
  });
});
