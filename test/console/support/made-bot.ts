// A bot made in a test: it speaks the frames of the live connection, and its state is what the test sets.
import type {
  FollowFrame,
  LiveEvent,
  LiveOrder,
  LiveSessionPart,
  MarketCells,
  MarketDetail,
  MarketFacts,
} from '../../../src/runtime/follow/follow-messages.ts';
import type { BotSource, BotState, LinkState } from '../../../src/console/bots/bot-source.ts';

/** A time that every made figure carries. */
export const MADE_AT_US = 1_790_000_000_000_000;

/** Facts and figures of a market; `own` quotes it, `position` holds it. */
export function madeMarket(
  index: number,
  figures: { readonly bid?: number; readonly own?: number; readonly position?: number; readonly day?: number } = {},
): { readonly facts: MarketFacts; readonly cells: MarketCells } {
  const { bid = 4000 + (index % 50), own = -1, position = 0, day = 0 } = figures;
  const ticker = `MARKET-${String(index).padStart(5, '0')}`;
  return {
    facts: { index, ticker, title: `Market ${index}`, series: 'SERIES', group: `GROUP-${index % 7}`, closesAtUs: null },
    cells: [index, 'open', 'live', bid, 100, bid + 200, 100, own, own < 0 ? 0 : 500, -1, 0, position, day],
  };
}

export const madeOrder = (id: string, more: Partial<LiveOrder> = {}): LiveOrder => ({
  clientOrderId: id,
  venueOrderId: `v-${id}`,
  strategy: 'quoter',
  ticker: 'MARKET-00001',
  side: 'buy',
  price: 4000,
  qty: 500,
  filled: 0,
  state: 'working',
  reason: 'quote',
  madeUs: MADE_AT_US,
  queueAhead: 100,
  isOpen: true,
  states: [{ state: 'working', atUs: MADE_AT_US, why: '' }],
  ...more,
});

export const madeEvent = (number: number, text = `event ${number}`): LiveEvent => ({
  number,
  atUs: MADE_AT_US + number,
  kind: 'other',
  severity: 'info',
  ticker: null,
  strategy: null,
  clientOrderId: null,
  text,
});

/** Strategies, limits and groups of a made session. */
const RISK: Pick<LiveSessionPart, 'strategies' | 'limits' | 'groups'> = {
  strategies: [
    {
      name: 'quoter',
      params: '{}',
      haltedBy: null,
      orders: 3,
      fills: 1,
      filledQty: 500,
      feesMicros: 1000,
      canceled: 1,
      rejected: 0,
      unknown: 0,
      realizedMicros: 0,
      unrealizedMicros: 5000,
      denials: [{ code: 'halted', count: 2 }],
      limits: [],
      remarks: [
        { atUs: MADE_AT_US, kind: 'denied', ticker: null, code: 'halted', text: 'the account is halted', count: 2 },
      ],
    },
  ],
  limits: [
    {
      limit: 'accountCostMax',
      strategy: null,
      subject: null,
      unit: 'micros',
      used: 50,
      allowed: 400,
      isOverridden: false,
    },
    {
      limit: 'groupCostMax',
      strategy: null,
      subject: 'GROUP-1',
      unit: 'micros',
      used: 90,
      allowed: 100,
      isOverridden: false,
    },
  ],
  groups: [
    { group: 'GROUP-1', worstMicros: 90, allowedMicros: 100, outcomes: [{ outcome: 'yes', profitMicros: -90 }] },
  ],
};

export const madeSession = (more: Partial<LiveSessionPart> = {}): LiveSessionPart => ({
  phase: 'trading',
  halts: [],
  account: {
    isOpen: true,
    equityMicros: 1_000_000_000,
    cashMicros: 900_000_000,
    reservedMicros: 10_000_000,
    positionsValueMicros: 100_000_000,
    realizedMicros: 1_000_000,
    unrealizedMicros: 2_000_000,
    feesMicros: 300_000,
    profitMicros: 2_700_000,
    dayMicros: 2_700_000,
    drawdownMicros: 0,
    exposureMicros: 50_000_000,
    exposureMaxMicros: 400_000_000,
  },
  feed: {
    isUp: true,
    ageMs: 100,
    lagMs: 20,
    connections: 1,
    privateFault: null,
    fault: null,
    gaps: 0,
    resyncs: 0,
    untrustedBooks: 0,
  },
  clock: { offsetMs: 1.5, boundMs: 3, loopLateMs: 0.2 },
  drift: { ageMs: 1000, qty: 0, cashMicros: 0, isDrift: false },
  budgets: {
    read: { available: 18, capacity: 20 },
    trade: { available: 9, capacity: 10 },
    cancelReserve: 2,
    waiting: [{ lane: 'order', count: 0 }],
    inFlight: 0,
    rateRefusals: { read: 0, trade: 0 },
  },
  orders: { working: 2, waiting: 0, inFlight: 0, unknown: 0 },
  ...RISK,
  overrides: [],
  alarms: [],
  lastFillUs: null,
  marketCount: 3,
  journalBytes: 1000,
  ...more,
});

export const madeDetail = (ticker: string): MarketDetail => ({
  ticker,
  status: 'open',
  result: null,
  trust: 'live',
  trustReason: null,
  trustSinceUs: MADE_AT_US,
  bids: [[4000, 100]],
  asks: [[4200, 100]],
  orders: [],
  position: { qty: 0, costMicros: 0, valueMicros: 0, realizedMicros: 0, feesMicros: 0 },
  prints: [],
  strategies: [],
  fee: 'quadratic',
});

interface Changeable extends BotState {
  hello: BotState['hello'];
  session: BotState['session'];
  cellsAtUs: number | null;
  readonly facts: Map<number, MarketFacts>;
  readonly cells: Map<number, MarketCells>;
  readonly orders: Map<string, LiveOrder>;
  readonly events: LiveEvent[];
  readonly details: Map<string, { atUs: number; value: MarketDetail }>;
}

/** A source whose state a test changes. */
export class MadeBot implements BotSource {
  link: LinkState = 'connected';
  lastFrameUs: number | null = null;
  readonly state: Changeable;
  watched: readonly string[] = [];
  /** Sends the details of a watched market by itself. */
  answersWatch = true;
  readonly #listeners: ((frame: FollowFrame | null) => void)[] = [];
  #seq = 0;

  constructor(markets = 3) {
    const facts = new Map<number, MarketFacts>();
    const cells = new Map<number, MarketCells>();
    for (let index = 0; index < markets; index++) {
      const market = madeMarket(index, index === 1 ? { own: 3900, position: 500 } : {});
      facts.set(index, market.facts);
      cells.set(index, market.cells);
    }
    this.state = {
      hello: this.#hello('session-1'),
      session: { atUs: MADE_AT_US, value: madeSession() },
      facts,
      cells,
      cellsAtUs: MADE_AT_US,
      orders: new Map([['s-0-1', madeOrder('s-0-1')]]),
      events: [madeEvent(1)],
      details: new Map(),
    };
    this.beat();
  }

  #hello(session: string): BotState['hello'] {
    return {
      type: 'hello',
      seq: 1,
      version: 1,
      bot: 'made',
      session,
      pid: 4711,
      program: '0.1.0',
      profile: 'service',
      isPaper: false,
      hasKey: true,
      startedUs: MADE_AT_US,
      atUs: MADE_AT_US,
    };
  }

  watchMarkets(tickers: readonly string[]): void {
    this.watched = tickers;
    for (const ticker of this.answersWatch ? tickers : []) setTimeout(() => this.sendDetail(ticker), 5);
  }

  onFrame(listener: (frame: FollowFrame | null) => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    this.#listeners.length = 0;
  }

  send(frame: FollowFrame): void {
    this.lastFrameUs = Date.now() * 1000;
    for (const listener of this.#listeners) listener(frame);
  }

  nextSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }

  beat(): void {
    this.send({ type: 'beat', seq: this.nextSeq(), atUs: Date.now() * 1000, loopLateMs: 0 });
  }

  sendSession(more: Partial<LiveSessionPart>): void {
    this.state.session = { atUs: Date.now() * 1000, value: madeSession(more) };
    this.send({ type: 'session', seq: this.nextSeq(), ...timed(this.state.session) });
  }

  sendDetail(ticker: string): void {
    const value = madeDetail(ticker);
    this.state.details.set(ticker, { atUs: MADE_AT_US, value });
    this.send({ type: 'detail', seq: this.nextSeq(), atUs: MADE_AT_US, market: value });
  }

  sendOrder(order: LiveOrder): void {
    this.state.orders.set(order.clientOrderId, order);
    this.send({ type: 'orders', seq: this.nextSeq(), isSnapshot: false, orders: [order] });
  }

  sendEvent(event: LiveEvent): void {
    this.state.events.push(event);
    this.send({ type: 'events', seq: this.nextSeq(), events: [event] });
  }

  sendCells(rows: readonly MarketCells[], atUs = Date.now() * 1000): void {
    for (const row of rows) this.state.cells.set(row[0], row);
    this.state.cellsAtUs = atUs;
    this.send({ type: 'markets', seq: this.nextSeq(), atUs, isSnapshot: false, hasMore: false, rows: [...rows] });
  }

  /** Begins another session of the same bot. */
  restart(session: string): void {
    this.state.hello = this.#hello(session);
    this.send(this.state.hello);
  }

  setLink(link: LinkState): void {
    this.link = link;
    for (const listener of this.#listeners) listener(null);
  }
}

const timed = ({ atUs, value }: NonNullable<BotState['session']>): { atUs: number; session: LiveSessionPart } => ({
  atUs,
  session: value,
});
