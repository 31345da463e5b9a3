// Follows recent prints, or bets against them. It compares two means of the print prices, a fast and a slow mean. When
// they are far apart, news is arriving or traders overreact. A parameter selects one of these two assumptions.
//
// Loses when the assumption is wrong, and when prices merely bounce between bid and ask. Each round trip costs the
// spread and two fees, and few series move enough for that.

// Sources: T. Moskowitz, Y. H. Ooi and L. H. Pedersen 2012, “Time Series Momentum”: trends continue. D. Choi and S. K.
// Hui 2014, “The Role of Surprise”: bettors overreact to surprises and underreact to expected news.
import {
  Ewma,
  type Intent,
  type Market,
  MarketMemory,
  type MarketIndex,
  type StrategyView,
  Waits,
  contracts,
  defineStrategy,
  deniedMarket,
  ewmaState,
  fromMillis,
  micros,
  qty,
  takeAt,
  waitsState,
  z,
} from 'presage-trading';

/** One cent. Prints that do not move have no deviation, and any distance would then be infinite. */
const DEVIATION_MIN = 100;

const savedMeans = z.strictObject({ fast: ewmaState, slow: ewmaState, enteredAt: z.number() });

export default defineStrategy({
  name: 'print-momentum',
  description: 'Follows, or fades, recent moves of the prints.',
  params: z.strictObject({
    mode: z.enum(['follow', 'fade']).default('follow').describe('whether a move is expected to continue or to revert'),
    fastMs: z.number().positive().default(3000).describe('half-life of the fast mean'),
    slowMs: z.number().positive().default(30_000).describe('half-life of the slow mean'),
    entryDeviations: z
      .number()
      .positive()
      .default(1)
      .describe('entry distance of the means, in deviations of the slow one'),
    weightMin: z
      .number()
      .positive()
      .default(8)
      .describe('least weight of prints in the slow mean; old ones count less'),
    spreadMaxCents: z.number().positive().default(3).describe('no entry where the spread is wider'),
    qtyContracts: z.number().int().positive().default(5).describe('most contracts to hold'),
    holdMs: z.number().positive().default(20_000).describe('exits after this time, or when the means meet'),
    lookMs: z.number().positive().default(1000).describe('how often the exit of a position is tried again'),
    deniedWaitMs: z.number().int().min(0).default(30_000).describe('wait in a market after an order was denied'),
  }),
  saved: z.strictObject({ markets: z.array(z.tuple([z.string(), savedMeans])), waits: waitsState }),
  setup({ params }) {
    const waits = new Waits();
    const meansOf = (state?: z.output<typeof savedMeans>): Means => ({
      fast: new Ewma({ halfLifeMs: params.fastMs }, state?.fast),
      slow: new Ewma({ halfLifeMs: params.slowMs }, state?.slow),
      enteredAt: state?.enteredAt ?? 0,
    });
    const memory = new MarketMemory({ begin: () => meansOf() });

    function checkMarket(index: MarketIndex, view: StrategyView): Intent[] {
      const market = view.market(index);
      if (waits.isWaiting(market.ticker, view.now) || view.orders(index).length > 0) return [];
      const means = memory.of(market);
      const signal = signalOf(means, params);
      const held = view.own(index).qty;
      if (held !== 0) {
        const isOver = view.now - means.enteredAt >= fromMillis(params.holdMs);
        if (!isOver && signal * held > 0) return [];
        return trade(view, { index, change: -held, reason: isOver ? 'held long enough' : 'the means met' });
      }
      const isTight = (view.book(index).spread ?? Infinity) <= params.spreadMaxCents * 100;
      if (Math.abs(signal) < params.entryDeviations || !isTight) return [];
      means.enteredAt = view.now;
      const change = Math.sign(signal) * contracts(params.qtyContracts);
      return trade(view, { index, change, reason: `${signal.toFixed(2)} deviations` });
    }

    /** Wakes the strategy when a position is to be left, and regularly from then on until it is gone. */
    function nextCheck(market: Market, view: StrategyView): Intent[] {
      const held = view.own(market.index).qty;
      if (held === 0) return [];
      const means = memory.of(market);
      const exitAt = signalOf(means, params) * held > 0 ? means.enteredAt + fromMillis(params.holdMs) : view.now;
      const at = view.now < exitAt ? exitAt : view.now + fromMillis(params.lookMs);
      return [{ type: 'timer', name: market.ticker, at: micros(at) }];
    }

    return {
      onPrint: ({ market: index, at, price }, view) => {
        const market = view.market(index);
        const { fast, slow } = memory.of(market);
        fast.add(at, price);
        slow.add(at, price);
        return [...checkMarket(index, view), ...nextCheck(market, view)];
      },
      onFill: ({ fill }, view) => nextCheck(view.market(fill.market), view),
      onTimer: ({ name }, view) => {
        const market = view.find(name);
        if (market === undefined || view.own(market.index).qty === 0) return undefined;
        return [...checkMarket(market.index, view), ...nextCheck(market, view)];
      },
      onIntentOutcome: (outcome, view) => {
        const market = deniedMarket(outcome);
        if (market !== null) waits.begin(view.market(market).ticker, view.now, params.deniedWaitMs);
      },
      onMarket: ({ market }, view) => {
        if (market.status !== 'finalized') return nextCheck(market, view);
        memory.forget(market);
        return undefined;
      },
      save: () => ({
        markets: memory.save(({ fast, slow, enteredAt }) => ({ fast: fast.state, slow: slow.state, enteredAt })),
        waits: waits.state,
      }),
      restore: (saved) => {
        memory.restore(saved.markets, meansOf);
        waits.restore(saved.waits);
      },
    };
  },
});

/** The means of a market's prints, and when its position was entered. Microseconds. */
interface Means {
  readonly fast: Ewma;
  readonly slow: Ewma;
  enteredAt: number;
}

interface SignalParams {
  readonly mode: 'follow' | 'fade';
  readonly weightMin: number;
}

/**
 * Returns the distance of the fast mean from the slow mean, in deviations. Positive to buy, negative to sell, 0 when it is
 * too early.
 */
function signalOf({ fast, slow }: Means, { mode, weightMin }: SignalParams): number {
  if (fast.mean === null || slow.mean === null || slow.weight < weightMin) return 0;
  const deviations = (fast.mean - slow.mean) / Math.max(DEVIATION_MIN, slow.deviation ?? 0);
  return mode === 'follow' ? deviations : -deviations;
}

/** A change of the position, signed, in hundredths of a contract. */
interface Change {
  readonly index: MarketIndex;
  readonly change: number;
  readonly reason: string;
}

/** Trades at the touch, at most the wanted change. Fees do not matter here: the means alone decide. */
function trade(view: StrategyView, { index, change, reason }: Change): Intent[] {
  const side = change > 0 ? 'buy' : 'sell';
  const take = takeAt(view, index, { side, qtyMax: qty(Math.abs(change)) });
  if (take === null) return [];
  return [{ type: 'place', market: index, side, price: take.price, qty: take.qty, timeInForce: 'ioc', reason }];
}
