// A fill simulator with one market of whole cents, driven in cents and contracts.
import type { BookSide } from '../../../../src/domain/event.ts';
import type { MarketIndex } from '../../../../src/domain/ids.ts';
import type { Side } from '../../../../src/domain/orders/order.ts';
import { CENT_GRID } from '../../../../src/domain/price-grid.ts';
import { type Micros, type Price, type Qty, cents, contracts, micros } from '../../../../src/domain/units.ts';
import { TapeFillSimulator } from '../../../../src/venues/simulated/matching/fill-simulator.ts';
import type {
  Execution,
  FillSimulatorOptions,
  ArrivingOrder,
  PlacementOutcome,
} from '../../../../src/venues/simulated/simulator-interfaces.ts';
import { pessimistic } from '../../../../src/venues/simulated/models/queue-models.ts';

type Pair = readonly [number, number];

/** An order in cents and contracts; by default an ordinary good-till-canceled order. */
export interface FillBenchOrder extends Partial<Omit<ArrivingOrder, 'side' | 'price' | 'qty'>> {
  readonly side: Side;
  readonly cents: number;
  readonly contracts: number;
}

export class FillBench {
  readonly market = 0 as MarketIndex;
  readonly matching: TapeFillSimulator;
  readonly executions: Execution[] = [];
  position = 0;
  now: Micros = micros(0);
  #orders = 0;

  constructor(options: Partial<FillSimulatorOptions> = {}) {
    this.matching = new TapeFillSimulator({
      queue: pessimistic,
      selfTrade: 'cancel-incoming',
      now: () => this.now,
      positionOf: () => this.position,
      onExecution: (execution) => this.executions.push(execution),
      ...options,
    });
    this.matching.openMarket(this.market, CENT_GRID);
  }

  snapshot(bids: readonly Pair[], asks: readonly Pair[]): void {
    const levels = (pairs: readonly Pair[]): [Price, Qty][] =>
      pairs.map(([price, qty]) => [cents(price), contracts(qty)]);
    this.matching.applySnapshot(this.market, levels(bids), levels(asks));
  }

  delta(side: BookSide, price: number, change: number): void {
    this.matching.applyDelta({ market: this.market, side, price: cents(price), change: contracts(change) });
  }

  print(side: Side, price: number, qty: number): void {
    this.matching.applyPrint({ market: this.market, side, price: cents(price), qty: contracts(qty) });
  }

  /** Places an order; its id is `o1`, `o2` and so on by default. */
  place(order: FillBenchOrder): PlacementOutcome {
    this.#orders += 1;
    const { cents: price, contracts: qty, ...rest } = order;
    return this.matching.placeOrder({
      id: `o${this.#orders}`,
      market: this.market,
      timeInForce: 'gtc',
      postOnly: false,
      reduceOnly: false,
      expiresAt: null,
      price: cents(price),
      qty: contracts(qty),
      ...rest,
    });
  }

  /** Contracts ahead of an order. */
  ahead(id: string): number | null {
    const ahead = this.matching.qtyAheadOf(id);
    return ahead === null ? null : ahead / 100;
  }

  /** Fills of resting orders so far, as text. */
  fillTexts(): string[] {
    return this.executions.map(
      ({ orderId, qty, price, evidence }) => `${orderId} ${qty / 100} at ${price / 100} ${evidence}`,
    );
  }
}
