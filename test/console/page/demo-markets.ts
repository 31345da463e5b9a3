// Made-up markets that move: the fixture of the page's tests and screenshots. Prices, quotes and fills follow a seeded
// walk, so that the same number of steps gives the same figures.
import type { Chart, MarketRow } from '../../../src/console/api/api-schemas.ts';
import type { LiveOrder, MarketDetail } from '../../../src/runtime/follow/follow-messages.ts';

const CENT = 100;
const CONTRACT = 100;
export const SECOND_US = 1_000_000;
export const MINUTE_US = 60 * SECOND_US;
export const HOUR_US = 60 * MINUTE_US;

/** Returns a generator of numbers from 0 to 1 for a seed. */
export function seededNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const SERIES = ['RAIN', 'SNOW', 'HIGHTEMP', 'CPI', 'RATES', 'NBA', 'SENATE', 'BOXOFFICE'] as const;
const CITIES = ['OSLO', 'LIMA', 'CAIRO', 'DELHI', 'PARIS', 'TOKYO', 'QUITO', 'ACCRA'] as const;
const TITLES = {
  RAIN: 'Rain in',
  SNOW: 'Snow in',
  HIGHTEMP: 'Highest temperature in',
  CPI: 'Consumer prices of',
  RATES: 'Policy rate of',
  NBA: 'Next champion, bracket',
  SENATE: 'Seat won in',
  BOXOFFICE: 'Opening weekend in',
} as const;

/** Markets in which the bot has orders or positions. */
export const OURS = 12;
const CHART_STEPS = 240;

interface Walk {
  readonly seed: number;
  mid: number;
}

/** The markets of a bot. */
export class DemoMarkets {
  readonly rows: MarketRow[];
  readonly orders = new Map<string, LiveOrder>();
  readonly #walks: Walk[];
  readonly #random: () => number;
  readonly #fills: Chart['fills'][number][] = [];
  #nextOrder = 1;
  readonly startUs: number;

  constructor(count: number, startUs: number, title?: string) {
    this.startUs = startUs;
    this.#random = seededNumbers(7);
    this.#walks = Array.from({ length: count }, (_, at) => ({ seed: at + 1, mid: 10 + ((at * 37) % 80) }));
    this.rows = this.#walks.map((walk, at) => rowOf(walk, at, { startUs, title }));
    for (let at = 0; at < Math.min(OURS, count); at++) this.#quoteMarket(at, startUs - (OURS - at) * MINUTE_US);
  }

  /** Moves some prices, fills an order now and then, and returns the places of the changed rows. */
  moveMarkets(count: number, nowUs: number): number[] {
    const places = Array.from({ length: count }, () => Math.floor(this.#random() * this.rows.length));
    places.push(Math.floor(this.#random() * Math.min(OURS, this.rows.length)));
    for (const place of places) this.#moveMarket(place);
    if (this.#random() < 0.25) this.fillOrder(nowUs);
    return places;
  }

  #moveMarket(place: number): void {
    const walk = this.#walks[place];
    const row = this.rows[place];
    if (!walk || !row) return;
    walk.mid = Math.min(96, Math.max(4, walk.mid + Math.round((this.#random() - 0.5) * 2)));
    row.bid = (walk.mid - 1) * CENT;
    row.ask = (walk.mid + 2) * CENT;
    row.bidQty = Math.round(1 + this.#random() * 400) * CONTRACT;
    row.askQty = Math.round(1 + this.#random() * 400) * CONTRACT;
    if (place < OURS) row.dayMicros += Math.round((this.#random() - 0.48) * 90_000);
    this.#moveQuotes(row);
  }

  /** Keeps our quotes at the best prices. */
  #moveQuotes(row: MarketRow): void {
    if (row.ownBid === null && row.ownAsk === null) return;
    [row.ownBid, row.ownAsk] = [row.bid, row.ask];
    for (const [id, order] of this.orders)
      if (order.isOpen && order.ticker === row.ticker)
        this.orders.set(id, { ...order, price: (order.side === 'buy' ? row.bid : row.ask) ?? order.price });
  }

  #quoteMarket(place: number, atUs: number): void {
    const row = this.rows[place];
    if (!row || row.bid === null || row.ask === null) return;
    for (const side of ['buy', 'sell'] as const) {
      const price = side === 'buy' ? row.bid : row.ask;
      const order = this.#makeOrder({ ticker: row.ticker, side, price, atUs });
      if (side === 'buy') [row.ownBid, row.ownBidQty] = [price, order.qty];
      else [row.ownAsk, row.ownAskQty] = [price, order.qty];
    }
    row.position = place % 3 === 0 ? 0 : (place % 2 === 0 ? -1 : 1) * (place + 3) * CONTRACT;
    row.dayMicros = (place % 5 === 0 ? -1 : 1) * place * 410_117;
  }

  #makeOrder({
    ticker,
    side,
    price,
    atUs,
  }: {
    ticker: string;
    side: 'buy' | 'sell';
    price: number;
    atUs: number;
  }): LiveOrder {
    const clientOrderId = `a1-q-${String(this.#nextOrder++).padStart(4, '0')}`;
    const order: LiveOrder = {
      clientOrderId,
      venueOrderId: `v-${clientOrderId}`,
      strategy: 'quoter',
      ticker,
      side,
      price,
      qty: 5 * CONTRACT,
      filled: 0,
      state: 'working',
      reason: 'mid 44.5, edge 1.5',
      madeUs: atUs,
      queueAhead: side === 'buy' ? 12 * CONTRACT : null,
      isOpen: true,
      states: [
        { state: 'queued', atUs, why: 'approved by every limit' },
        { state: 'in-flight', atUs: atUs + 180, why: 'sent in lane quotes' },
        { state: 'working', atUs: atUs + 41_000, why: 'acknowledged' },
      ],
    };
    this.orders.set(clientOrderId, order);
    return order;
  }

  /** Fills the first open order, and quotes its market again. */
  fillOrder(nowUs: number): void {
    const order = [...this.orders.values()].find(({ isOpen }) => isOpen);
    const place = this.rows.findIndex(({ ticker }) => ticker === order?.ticker);
    const row = this.rows[place];
    if (!order || !row) return;
    const filled = { state: 'filled', atUs: nowUs, why: `5 at ${order.price / CENT}` };
    this.orders.set(order.clientOrderId, {
      ...order,
      state: 'filled',
      filled: order.qty,
      isOpen: false,
      queueAhead: null,
      states: [...order.states, filled],
    });
    const { side, price, qty, clientOrderId } = order;
    this.#fills.push({ atUs: nowUs, side, price, qty, clientOrderId });
    row.position += side === 'buy' ? qty : -qty;
    const next = this.#makeOrder({ ticker: order.ticker, side, price, atUs: nowUs });
    if (side === 'buy') row.ownBid = next.price;
    else row.ownAsk = next.price;
  }

  /** Cancels every order. */
  cancelOrders(nowUs: number): number {
    let count = 0;
    for (const [id, order] of this.orders) {
      if (!order.isOpen) continue;
      count++;
      const end = { state: 'canceled', atUs: nowUs, why: 'halted by operator' };
      this.orders.set(id, {
        ...order,
        state: 'canceled',
        isOpen: false,
        queueAhead: null,
        states: [...order.states, end],
      });
    }
    for (const row of this.rows) Object.assign(row, { ownBid: null, ownAsk: null, ownBidQty: 0, ownAskQty: 0 });
    return count;
  }

  /** The detail of a market, as a bot sends it for a watched one. */
  detailOf(ticker: string, nowUs: number): MarketDetail | null {
    const row = this.rows.find((each) => each.ticker === ticker);
    if (!row || row.bid === null || row.ask === null) return null;
    const random = seededNumbers(row.bid + row.ask);
    const side = (best: number, step: number): [number, number][] =>
      Array.from({ length: 12 }, (_, at): [number, number] => [
        best + at * step,
        Math.round(5 + random() * 900) * CONTRACT,
      ]).filter(([price]) => price > 0 && price < 100 * CENT);
    return {
      ticker,
      status: row.status,
      result: null,
      trust: row.trust,
      trustReason: row.trust === 'live' ? null : 'gap in the sequence: expected 4711, received 4713',
      trustSinceUs: this.startUs,
      bids: side(row.bid, -CENT),
      asks: side(row.ask, CENT),
      orders: [...this.orders.values()].filter((order) => order.ticker === ticker).slice(-10),
      position: {
        qty: row.position,
        costMicros: Math.abs(row.position) * 4_120,
        valueMicros: Math.abs(row.position) * 4_400,
        realizedMicros: row.dayMicros,
        feesMicros: 70_000,
      },
      prints: Array.from({ length: 14 }, (_, at) => ({
        atUs: nowUs - (14 - at) * 9 * SECOND_US,
        side: random() < 0.5 ? ('buy' as const) : ('sell' as const),
        price: random() < 0.5 ? (row.bid ?? 0) : (row.ask ?? 0),
        qty: Math.round(1 + random() * 60) * CONTRACT,
      })),
      strategies: [
        {
          name: 'quoter',
          isSelected: true,
          why: null,
          remark: {
            atUs: nowUs - 300_000,
            kind: 'reason',
            ticker,
            code: null,
            text: 'quotes 43/46: mid 44.5, edge 1.5',
            count: 1,
          },
        },
        {
          name: 'ladder',
          isSelected: true,
          why: null,
          remark: {
            atUs: nowUs - 2 * SECOND_US,
            kind: 'denied',
            ticker,
            code: 'spread-too-wide',
            text: 'the spread is 3 cents, at most 2 is allowed',
            count: 412,
          },
        },
        { name: 'sports', isSelected: false, why: 'its selector asks for series NBA; this is RAIN', remark: null },
      ],
      fee: '7 % of price × (1 − price), rounded up to a cent',
    };
  }

  /** The chart of a market over a span, with a hole in the middle third's end. */
  chartOf(ticker: string, fromUs: number, toUs: number): Chart {
    const place = this.rows.findIndex((row) => row.ticker === ticker);
    const row = this.rows[place];
    const chart: Chart = { atUs: [], bid: [], ask: [], ownBid: [], ownAsk: [], fills: [], gaps: [] };
    if (!row) return chart;
    const random = seededNumbers(place + 11);
    const step = (toUs - fromUs) / CHART_STEPS;
    const gap = { fromUs: Math.round(fromUs + step * 150), toUs: Math.round(fromUs + step * 160) };
    let mid = (row.bid ?? 50 * CENT) / CENT + 1;
    const mids = Array.from(
      { length: CHART_STEPS },
      () => (mid = Math.min(95, Math.max(5, mid + Math.round((random() - 0.5) * 1.15)))),
    ).reverse();
    mids.forEach((each, at) => {
      const atUs = Math.round(fromUs + step * at);
      const isGap = atUs >= gap.fromUs && atUs < gap.toUs;
      const isQuoted = place < OURS && at % 90 > 12;
      chart.atUs.push(atUs);
      chart.bid.push(isGap ? null : (each - 1) * CENT);
      chart.ask.push(isGap ? null : (each + 2) * CENT);
      chart.ownBid.push(isGap || !isQuoted ? null : (each - 2) * CENT);
      chart.ownAsk.push(isGap || !isQuoted ? null : (each + 3) * CENT);
      if (place < OURS && at % 47 === 46 && !isGap)
        chart.fills.push({
          atUs,
          side: at % 2 === 0 ? 'buy' : 'sell',
          price: (at % 2 === 0 ? each - 2 : each + 3) * CENT,
          qty: 5 * CONTRACT,
          clientOrderId: `a1-q-${at}`,
        });
    });
    chart.gaps.push(gap);
    chart.fills.push(
      ...this.#fills.filter((fill) => fill.atUs >= fromUs && fill.atUs <= toUs && this.#isIn(fill, ticker)),
    );
    return chart;
  }

  #isIn({ clientOrderId }: Chart['fills'][number], ticker: string): boolean {
    return this.orders.get(clientOrderId)?.ticker === ticker;
  }
}

function rowOf(
  { mid, seed }: Walk,
  at: number,
  { startUs, title }: { startUs: number; title: string | undefined },
): MarketRow {
  const series = SERIES[at % SERIES.length] ?? 'RAIN';
  const city = CITIES[Math.floor(at / SERIES.length) % CITIES.length] ?? 'OSLO';
  const ticker = `${series}-${city}-26NOV23-T${at}`;
  return {
    ticker,
    title:
      at === 0 && title !== undefined
        ? title
        : `${TITLES[series]} ${city.charAt(0)}${city.slice(1).toLowerCase()}, step ${at}`,
    series,
    group: `${series}-${city}-26NOV23`,
    closesAtUs: startUs + (3 + (at % 40)) * HOUR_US,
    status: at % 97 === 96 ? 'closed' : 'active',
    trust: at % 53 === 52 ? 'suspect' : at % 71 === 70 ? 'rebuilding' : 'live',
    bid: (mid - 1) * CENT,
    bidQty: ((seed * 13) % 400) * CONTRACT,
    ask: (mid + 2) * CENT,
    askQty: ((seed * 29) % 400) * CONTRACT,
    ownBid: null,
    ownBidQty: 0,
    ownAsk: null,
    ownAskQty: 0,
    position: 0,
    dayMicros: 0,
  };
}
