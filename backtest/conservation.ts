// Conservation checks of a run, to the millionth of a dollar. The venue's account must follow from its trades, fees and
// settlements, and the engine must agree with it.
import { contractsText, dollarsText } from '../src/domain/amounts.ts';
import type { MarketIndex } from '../src/domain/ids.ts';
import { type Position, valueOf } from '../src/domain/position.ts';
import { PAYOUT, type Price, money, price, qty } from '../src/domain/units.ts';
import type { Engine } from '../src/engine.ts';
import type { State } from '../src/state/state.ts';
import type { SimulatedAccount } from '../src/venues/simulated/simulator-interfaces.ts';

/** Returns every fault found, as sentences. */
export function conservationFaults(engine: Engine, account: SimulatedAccount): string[] {
  return [...accountFaults(account), ...engineFaults(engine, account), ...strategyFaults(engine.state)];
}

function accountFaults({ openingCash, traded, feesPaid, settled, cash, fills }: SimulatedAccount): string[] {
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

/** Before the session has stopped, events may still be in flight. */
function engineFaults({ session, state }: Engine, account: SimulatedAccount): string[] {
  if (session.phase !== 'stopped' || !state.portfolio.isOpen) return [];
  const found: string[] = [];
  const { cash } = state.portfolio;
  if (cash !== account.cash)
    found.push(`the engine counts ${dollarsText(cash)} of cash, the venue has ${dollarsText(account.cash)}`);
  for (const market of new Set([...state.portfolio.positions().keys(), ...account.fills.map((fill) => fill.market)]))
    found.push(...positionFaults(market, state.portfolio.position(market).qty, account));
  return found;
}

function positionFaults(market: MarketIndex, recorded: number, account: SimulatedAccount): string[] {
  const held = account.positionOf(market);
  if (held === recorded) return [];
  return [
    `the engine counts ${contractsText(qty(recorded))} contracts of market ${market}, the venue has ${contractsText(held)}`,
  ];
}

/** In a backtest only strategies trade: their positions and earnings add up to the account's, at any price. */
function strategyFaults({ portfolio, strategyLedgers, tickers }: State): string[] {
  const found: string[] = [];
  for (const [market, { qty: held }] of portfolio.positions()) {
    const owned = strategyLedgers.heldIn(market);
    if (owned !== held)
      found.push(
        `strategies hold ${contractsText(owned)} contracts of ${tickers.tickerOf(market)}, the account ${contractsText(held)}`,
      );
  }
  const { realized, fees } = portfolio.evictedTotals;
  for (const yes of [price(0), PAYOUT]) {
    const earnedByAccount = realized - fees + earnedAt(portfolio.positions().values(), yes);
    let earnedByAll = 0;
    for (const book of strategyLedgers.all().values())
      earnedByAll += book.earned + openAt(book.positions().values(), yes);
    if (earnedByAll !== earnedByAccount)
      found.push(
        `with YES at ${dollarsText(money(yes * 100))} strategies have earned ${dollarsText(money(earnedByAll))}, the account ${dollarsText(money(earnedByAccount))}`,
      );
  }
  return found;
}

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
