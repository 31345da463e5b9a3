// Strategy ledgers: the position of each strategy, from the fills of its own orders and from settlements, as if it were
// alone. The rest of the account's position belongs to no strategy. Must never count a fill that is not in the
// account's figures, nor keep an evicted market.
import { assert } from '../../base/assert.ts';
import type { FillReport } from '../../domain/event.ts';
import type { MarketIndex, StrategyName, Ticker } from '../../domain/ids.ts';
import type { SavedLedger } from '../../domain/operator-order.ts';
import { FLAT, type Position, afterSettlement, afterTrade, closingQty, valueOf } from '../../domain/position.ts';
import {
  type Money,
  NO_MONEY,
  type Price,
  type Qty,
  addMoney,
  money,
  mulDivFloor,
  subtractMoney,
  subtractQty,
} from '../../domain/units.ts';
import { ChangedMarkets } from '../changed-markets.ts';
import { OPERATOR, isForeign } from '../account/orders.ts';

type Terms = Pick<FillReport, 'market' | 'side' | 'price' | 'qty' | 'fee'>;

/** Ledger of one strategy. Opposite positions of two strategies net in the account, but not here. */
export class StrategyLedger {
  /** Added with the first fill or a restored position; removed when the market is evicted. */
  readonly #positions = new Map<MarketIndex, Position>();
  readonly #moved: ChangedMarkets;
  #heldCount = 0;
  #realized: Money = NO_MONEY;
  #fees: Money = NO_MONEY;

  /** @param moved Receives every market in which the strategy's position changes. */
  constructor(moved = new ChangedMarkets()) {
    this.#moved = moved;
  }

  position(market: MarketIndex): Position {
    return this.#positions.get(market) ?? FLAT;
  }

  /** Positions of the strategy by market, even flat ones. Evicted markets are left out. */
  positions(): ReadonlyMap<MarketIndex, Position> {
    return this.#positions;
  }

  /** Number of markets in which the strategy has a position that is not flat. */
  get heldCount(): number {
    return this.#heldCount;
  }

  /** Profit of everything closed or settled, before fees. */
  get realized(): Money {
    return this.#realized;
  }

  get fees(): Money {
    return this.#fees;
  }

  get earned(): Money {
    return subtractMoney(this.#realized, this.#fees);
  }

  /** The strategy's profit in a market after fees, with its position valued at a price. */
  profitAt(market: MarketIndex, yes: Price): Money {
    const { qty, cost, realized, fees } = this.position(market);
    return money(realized - fees + valueOf(qty, yes) - cost);
  }

  applyTrade(market: MarketIndex, terms: Terms): void {
    this.#applyPosition(market, afterTrade(this.position(market), terms));
  }

  settleMarket(market: MarketIndex, settlementValue: Price): void {
    const before = this.position(market);
    if (before.qty !== 0) this.#applyPosition(market, afterSettlement(before, settlementValue));
    assert(this.position(market).qty === 0, 'a strategy must hold nothing in a market that was paid out');
  }

  #applyPosition(market: MarketIndex, after: Position): void {
    const before = this.position(market);
    this.#realized = money(this.#realized + after.realized - before.realized);
    this.#fees = money(this.#fees + after.fees - before.fees);
    assert(Number.isSafeInteger(this.#realized), 'the realized profit of a strategy must be a whole amount');
    assert(Number.isSafeInteger(this.#fees), 'the fees of a strategy must be a whole amount');
    this.#setPosition(market, after);
  }

  #setPosition(market: MarketIndex, position: Position): void {
    this.#heldCount += Number(position.qty !== 0) - Number(this.position(market).qty !== 0);
    this.#positions.set(market, position);
    this.#moved.markChanged(market);
  }

  restoreLedger({ realized, fees, positions }: SavedLedger, indexOf: (ticker: Ticker) => MarketIndex): void {
    assert(this.#positions.size === 0, 'a saved ledger must be restored before the strategy trades');
    this.#realized = realized;
    this.#fees = fees;
    for (const { ticker, qty, cost } of positions) this.#setPosition(indexOf(ticker), { ...FLAT, qty, cost });
  }

  /** Drops the strategy's position in a market, with neither profit nor loss. */
  disownMarket(market: MarketIndex): void {
    const { realized, fees } = this.position(market);
    this.#setPosition(market, { ...FLAT, realized, fees });
  }

  /**
   * Evicts a market that was paid out. Its result stays in `realized` and `fees`.
   * @throws {AssertionFault} when the position is not flat.
   */
  evictMarket(market: MarketIndex): void {
    assert(this.position(market).qty === 0, 'a market in which a strategy holds a position was to be evicted');
    this.#positions.delete(market);
    this.#moved.markChanged(market);
  }
}

const EMPTY = new StrategyLedger();

/** The ledgers of all strategies. */
export class StrategyLedgers {
  readonly changedMarkets = new ChangedMarkets();
  /** Added with a strategy's first fill or restored ledger; never removed. */
  readonly #ledgers = new Map<StrategyName, StrategyLedger>();

  /** A strategy's ledger; an empty one for a strategy that never traded. */
  ledgerOf(strategy: StrategyName): StrategyLedger {
    return this.#ledgers.get(strategy) ?? EMPTY;
  }

  /** The ledgers of all strategies that have traded or have a saved ledger, the first added at the head. */
  all(): ReadonlyMap<StrategyName, StrategyLedger> {
    return this.#ledgers;
  }

  /** Applies a fill of a strategy's order. The fill must be new, and counted by the account. */
  applyFill(strategy: StrategyName, fill: Terms): void {
    if (strategy === OPERATOR) this.#applyOperatorFill(fill);
    else if (!isForeign({ strategy })) this.#ledgerOf(strategy).applyTrade(fill.market, fill);
  }

  /** Splits the operator's fill among the strategies whose position it closes. */
  #applyOperatorFill(fill: Terms): void {
    let { qty, fee } = fill;
    for (const ledger of this.#ledgers.values()) {
      const part = closingQty(ledger.position(fill.market).qty, { side: fill.side, qty });
      if (part === 0) continue;
      assert(part > 0 && part <= qty, 'a share of a fill must be above 0 and no more than what is left of it');
      const share = money(mulDivFloor(fee, part, qty));
      ledger.applyTrade(fill.market, { ...fill, qty: part, fee: share });
      qty = subtractQty(qty, part);
      fee = subtractMoney(fee, share);
      assert(qty >= 0, 'the shares of a fill must not exceed it');
    }
  }

  #ledgerOf(strategy: StrategyName): StrategyLedger {
    const known = this.#ledgers.get(strategy);
    if (known) return known;
    const ledger = new StrategyLedger(this.changedMarkets);
    this.#ledgers.set(strategy, ledger);
    return ledger;
  }

  /** Pays out a market to every strategy, even where the positions net to nothing. */
  settleMarket(market: MarketIndex, settlementValue: Price): void {
    for (const ledger of this.#ledgers.values()) ledger.settleMarket(market, settlementValue);
  }

  restoreLedger(saved: SavedLedger, indexOf: (ticker: Ticker) => MarketIndex): void {
    this.#ledgerOf(saved.strategy).restoreLedger(saved, indexOf);
  }

  /** Drops the positions of all strategies in a market. They belong to no strategy from now on. */
  disownMarket(market: MarketIndex): void {
    for (const ledger of this.#ledgers.values()) if (ledger.position(market).qty !== 0) ledger.disownMarket(market);
  }

  heldMarkets(): MarketIndex[] {
    const found = new Set<MarketIndex>();
    for (const ledger of this.#ledgers.values())
      for (const [market, { qty }] of ledger.positions()) if (qty !== 0) found.add(market);
    return [...found];
  }

  heldIn(market: MarketIndex): Qty {
    let sum = 0;
    for (const ledger of this.#ledgers.values()) sum += ledger.position(market).qty;
    assert(Number.isSafeInteger(sum), 'the positions of all strategies must sum to a whole quantity');
    return sum as Qty;
  }

  /** True when any strategy has a position in a market. Positions of several strategies may net to nothing. */
  isHeld(market: MarketIndex): boolean {
    for (const ledger of this.#ledgers.values()) if (ledger.position(market).qty !== 0) return true;
    return false;
  }

  get earned(): Money {
    let sum = NO_MONEY;
    for (const ledger of this.#ledgers.values()) sum = addMoney(sum, ledger.earned);
    return sum;
  }

  evictMarkets(markets: ReadonlySet<MarketIndex>): void {
    for (const ledger of this.#ledgers.values()) for (const market of markets) ledger.evictMarket(market);
    assert(!this.heldMarkets().some((market) => markets.has(market)), 'no evicted market may be held');
  }
}
