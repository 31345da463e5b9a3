// A risk guard with its state, for tests of its behavior over time.
import type { Alarm } from '../../src/domain/alarm.ts';
import type { EngineEvent } from '../../src/domain/event.ts';
import type { PositionReport } from '../../src/domain/account-event.ts';
import { clientOrderId, strategyName, tradeId, venueOrderId } from '../../src/domain/ids.ts';
import type { RestoredState, HaltScope } from '../../src/domain/operator-order.ts';
import { type Micros, type Money, dollars, money } from '../../src/domain/units.ts';
import { Halts } from '../../src/execution/operator/halts.ts';
import { RiskGuard } from '../../src/risk/risk-guard.ts';
import type { RiskLimits, StrategyLimits } from '../../src/risk/risk-limits.ts';
import type { RiskNotice } from '../../src/risk/risk-notice.ts';
import type { StateChange } from '../../src/state/state-change.ts';
import { State } from '../../src/state/state.ts';
import {
  BEGIN,
  M0,
  MAKER,
  aFill,
  aMarket,
  aPlace,
  levels,
  tickerTable,
  wideLimits,
} from '../support/engine/builders.ts';
import { TERMS, aGroup, aSeries, describeGroup } from './rule-context.ts';

export const OTHER = strategyName('other');
export const READY = { type: 'ready' } as const;

interface Options {
  readonly limits?: Partial<RiskLimits>;
  readonly own?: StrategyLimits;
  readonly capital?: Money;
  readonly feeType?: string;
  readonly carried?: Partial<Pick<RestoredState, 'losses' | 'overrides' | 'books'>>;
  /** Positions of the account at its opening, before any book is known. */
  readonly held?: readonly PositionReport[];
  readonly cash?: Money;
}

/** A guard with its state: one market with a book of 45 to 55, a hundred dollars, and a known account. */
export class GuardScene {
  readonly state = new State(tickerTable(1));
  readonly halts = new Halts();
  readonly halted: { readonly scope: HaltScope; readonly reason: string }[] = [];
  readonly canceledMarkets: number[] = [];
  readonly notices: (RiskNotice | Alarm)[] = [];
  readonly guard: RiskGuard;
  #fills = 0;

  constructor({ limits = {}, own = {}, capital, feeType = 'free', carried = {}, held, cash }: Options = {}) {
    this.guard = new RiskGuard({
      state: this.state,
      limits: wideLimits(limits),
      strategyLimits: new Map([
        [MAKER, own],
        [OTHER, {}],
      ]),
      capital: new Map(capital === undefined ? [] : [[MAKER, capital]]),
      venue: TERMS,
      halts: this.halts,
      report: (notice) => void this.notices.push(notice),
      actions: {
        haltScope: (halt) => {
          this.halted.push({ scope: halt.scope, reason: halt.reason });
          this.halts.addHalt(halt);
        },
        cancelMarket: (market) => void this.canceledMarkets.push(market),
      },
    });
    this.guard.start({ losses: null, overrides: [], ...carried }, BEGIN);
    describeGroup(this.state, aGroup(1), aSeries({ feeType }));
    this.state.applyEvent({ kind: 'market', at: BEGIN, market: aMarket(0) }, []);
    this.state.applyEvent({ kind: 'feed-up', at: BEGIN, connection: 1 }, []);
    if (held === undefined) this.book(45, 55);
    else this.state.portfolio.setOpeningPositions(held);
    this.state.portfolio.setOpeningCash(cash ?? dollars(100));
    // Gives the saved ledgers to their strategies.
    const { books } = carried;
    const begun = { session: 't', strategies: [MAKER, OTHER], lookbackMs: 0 };
    if (books) this.state.ledgerHandover.restoreLedgers({ ...begun, saved: books });
    this.state.portfolio.openAccount();
    this.guard.endStep();
  }

  /** Moves the time with an event that changes nothing else. */
  at(now: Micros): this {
    this.state.applyEvent({ kind: 'unrecognized', at: now, what: 'nothing', detail: '' }, []);
    this.guard.endStep();
    return this;
  }

  book(bid: number, ask: number, now = this.state.now || BEGIN): this {
    const sides = { bids: levels([bid, 50]), asks: levels([ask, 50]) };
    this.state.applyEvent({ kind: 'book-snapshot', at: now, exchangeAt: null, market: M0, ...sides }, []);
    this.guard.onBookReplaced(M0);
    this.guard.endStep();
    return this;
  }

  /** Books a fill of a strategy's own order. */
  trade(overrides: Parameters<typeof aFill>[0] = {}, strategy = MAKER): this {
    this.#fills += 1;
    const id = clientOrderId(`f-${this.#fills}`);
    const fill = aFill({
      fee: money(0),
      clientOrderId: id,
      venueOrderId: venueOrderId(`v-${this.#fills}`),
      tradeId: tradeId(`t-${this.#fills}`),
      ...overrides,
    });
    const { side, price, qty: size } = fill;
    this.state.orders.addOrder(aPlace({ clientOrderId: id, strategy, side, price, qty: size }), '');
    this.state.orders.applyChange(id, 'send', this.state.now);
    return this.apply({ kind: 'fill', at: this.state.now, fill });
  }

  /** Applies an event of the account, and shows its changes to the guard. */
  apply(event: EngineEvent): this {
    const changes: StateChange[] = [];
    this.state.applyEvent(event, changes);
    for (const change of changes) this.guard.applyChange(change);
    this.guard.endStep();
    return this;
  }

  reject(): this {
    this.#fills += 1;
    const id = clientOrderId(`r-${this.#fills}`);
    this.state.orders.addOrder(aPlace({ clientOrderId: id }), '');
    this.state.orders.applyChange(id, 'send', this.state.now);
    const rejected = { kind: 'order-rejected', clientOrderId: id, code: 'no', message: 'never' } as const;
    return this.apply({ ...rejected, at: this.state.now });
  }

  alarms(): string[] {
    return this.notices.flatMap((notice) => (notice.type === 'alarm' ? [`${notice.code}: ${notice.text}`] : []));
  }

  check(overrides: Parameters<typeof aPlace>[0] = {}): string | null {
    return this.guard.check(aPlace({ strategy: MAKER, ...overrides }), READY)?.code ?? null;
  }
}
