// Whether nothing was made of nothing: what the venue's account holds follows from its trades, fees and settlements to
// the last millionth, and what the engine believes is the same. Pure; says in whole sentences what does not hold.
import { contractsText, dollarsText } from '../src/domain/amounts.ts';
import type { MarketIndex } from '../src/domain/ids.ts';
import { type Position, valueOf } from '../src/domain/position.ts';
import { PAYOUT, type Price, money, price, qty } from '../src/domain/units.ts';
import type { Engine } from '../src/engine.ts';
import type { State } from '../src/state/state.ts';
import type { SimulatedAccount } from '../src/venues/simulated/ports.ts';

/** Everything that is not as it must be; nothing when all is well. */
export function imbalances(engine: Engine, account: SimulatedAccount): string[] {
  return [...ofAccount(account), ...ofBelief(engine, account), ...ofStrategies(engine.state)];
}

function ofAccount({ openingCash, traded, feesPaid, settled, cash, fills }: SimulatedAccount): string[] {
  const found: string[] = [];
  const owed = openingCash + traded - feesPaid + settled;
  if (owed !== cash)
    found.push(
      `cash is ${dollarsText(cash)}, but opening cash, trades, fees and settlements make ${dollarsText(money(owed))}`,
    );
  const fees = fills.reduce((sum, { fee }) => sum + fee, 0);
  if (fees !== feesPaid)
    found.push(`fees paid are ${dollarsText(feesPaid)}, but those of the fills make ${dollarsText(money(fees))}`);
  return found;
}

/** Once everything has been told: before the session has stopped, news may still be on its way. */
function ofBelief({ session, state }: Engine, account: SimulatedAccount): string[] {
  if (session.phase !== 'stopped' || !state.portfolio.isOpen) return [];
  const found: string[] = [];
  const { cash } = state.portfolio;
  if (cash !== account.cash)
    found.push(`the engine believes in ${dollarsText(cash)} of cash, the venue has ${dollarsText(account.cash)}`);
  for (const market of new Set([...state.portfolio.positions().keys(), ...account.fills.map((fill) => fill.market)]))
    found.push(...ofPosition(market, state.portfolio.position(market).qty, account));
  return found;
}

function ofPosition(market: MarketIndex, believed: number, account: SimulatedAccount): string[] {
  const held = account.positionOf(market);
  if (held === believed) return [];
  return [
    `the engine believes in ${contractsText(qty(believed))} contracts of market ${market}, the venue has ${contractsText(held)}`,
  ];
}

/** In a backtest nobody else trades: what strategies hold, and have earned at any price, is all that the account does. */
function ofStrategies({ portfolio, strategyBooks, tickers }: State): string[] {
  const found: string[] = [];
  for (const [market, { qty: held }] of portfolio.positions()) {
    const owned = strategyBooks.heldIn(market);
    if (owned !== held)
      found.push(
        `strategies hold ${contractsText(owned)} contracts of ${tickers.tickerOf(market)}, the account ${contractsText(held)}`,
      );
  }
  const { realized, fees } = portfolio.past;
  for (const yes of [price(0), PAYOUT]) {
    const ofAccount = realized - fees + earnedAt(portfolio.positions().values(), yes);
    let ofAll = 0;
    for (const book of strategyBooks.all().values()) ofAll += book.earned + openAt(book.positions().values(), yes);
    if (ofAll !== ofAccount)
      found.push(
        `with YES at ${dollarsText(money(yes * 100))} strategies have earned ${dollarsText(money(ofAll))}, the account ${dollarsText(money(ofAccount))}`,
      );
  }
  return found;
}

/** What open positions would bring beyond their cost. */
function openAt(positions: Iterable<Position>, yes: Price): number {
  let sum = 0;
  for (const { qty: held, cost } of positions) sum += valueOf(held, yes) - cost;
  return sum;
}

function earnedAt(positions: Iterable<Position>, yes: Price): number {
  let sum = 0;
  for (const position of positions) sum += position.realized - position.fees + openAt([position], yes);
  return sum;
}
