// Follows what was traded lately, or bets against it. Two means of the prices of prints, one that forgets fast and one that
// forgets slowly: when they are far apart, news is on its way in, or people overdo it. A parameter says which is believed.
//
// Loses when it believes the wrong one, and in any market where prices merely bounce between bid and ask: the spread and
// two fees are paid each time. Few series move enough for that.

// Sources: that trends go on, T. Moskowitz, Y. H. Ooi and L. H. Pedersen 2012, “Time Series Momentum”; that bettors make
// too much of what surprises, and too little of what does not, D. Choi and S. K. Hui 2014, “The Role of Surprise”.
import {
  Ewma,
  type Intent,
  MarketMemory,
  type MarketIndex,
  type Micros,
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

/** A price step: prints that do not move at all deviate by nothing, and anything would be far from them. */
const DEVIATION_MIN = 100;

const remembered = z.strictObject({ fast: ewmaState, slow: ewmaState, enteredAt: z.number() });

export default defineStrategy({
  name: 'print-momentum',
  description: 'Follows, or fades, what prints have done lately.',
  params: z.strictObject({
    mode: z.enum(['follow', 'fade']).default('follow').describe('whether a move is believed to go on, or to be undone'),
    fastMs: z.number().positive().default(3000).describe('half-life of the fast mean'),
    slowMs: z.number().positive().default(30_000).describe('half-life of the slow mean'),
    entryDeviations: z
      .number()
      .positive()
      .default(1)
      .describe('how far apart they must be, in deviations of the slow one'),
    weightMin: z
      .number()
      .positive()
      .default(8)
      .describe('prints that the slow mean must rest on, old ones counting less'),
    spreadMaxCents: z.number().positive().default(3).describe('no entry where the touch is wider'),
    qtyContracts: z.number().int().positive().default(5).describe('contracts to hold at the most'),
    holdMs: z.number().positive().default(20_000).describe('out again after so long, or when the means meet'),
    lookMs: z.number().positive().default(1000).describe('how often positions are looked at where nothing is traded'),
    deniedWaitMs: z.number().int().min(0).default(30_000).describe('wait in a market after an order was denied'),
  }),
  saved: z.strictObject({ markets: z.array(z.tuple([z.string(), remembered])), waits: waitsState }),
  setup({ params }) {
    const waits = new Waits();
    const meansOf = (state?: z.output<typeof remembered>) => ({
      fast: new Ewma({ halfLifeMs: params.fastMs }, state?.fast),
      slow: new Ewma({ halfLifeMs: params.slowMs }, state?.slow),
      enteredAt: state?.enteredAt ?? 0,
    });
    const memory = new MarketMemory({ begin: () => meansOf() });

    /** How far the fast mean is from the slow one, in deviations: positive where a buyer is wanted, 0 where it is too early. */
    function signalOf(index: MarketIndex, view: StrategyView): number {
      const { fast, slow } = memory.of(view.market(index));
      if (fast.mean === null || slow.mean === null || slow.weight < params.weightMin) return 0;
      const deviations = (fast.mean - slow.mean) / Math.max(DEVIATION_MIN, slow.deviation ?? 0);
      return params.mode === 'follow' ? deviations : -deviations;
    }

    function look(index: MarketIndex, view: StrategyView): Intent[] {
      const market = view.market(index);
      if (waits.isWaiting(market.ticker, view.now) || view.orders(index).length > 0) return [];
      const signal = signalOf(index, view);
      const held = view.own(index).qty;
      const known = memory.of(market);
      if (held !== 0) {
        const isOver = view.now - known.enteredAt >= fromMillis(params.holdMs);
        if (!isOver && signal * held > 0) return [];
        return trade(view, { index, change: -held, reason: isOver ? 'held long enough' : 'the means met' });
      }
      const isTight = (view.book(index).spread ?? Infinity) <= params.spreadMaxCents * 100;
      if (Math.abs(signal) < params.entryDeviations || !isTight) return [];
      known.enteredAt = view.now;
      const change = Math.sign(signal) * contracts(params.qtyContracts);
      return trade(view, { index, change, reason: `${signal.toFixed(2)} deviations` });
    }

    const nextLook = ({ now }: StrategyView): Intent => timerAt(micros(now + fromMillis(params.lookMs)));

    return {
      onStart: (_event, view) => [nextLook(view)],
      onPrint: ({ market, at, price }, view) => {
        const { fast, slow } = memory.of(view.market(market));
        fast.add(at, price);
        slow.add(at, price);
        return look(market, view);
      },
      onTimer: (_event, view) => [
        ...view.markets.filter((market) => view.own(market).qty !== 0).flatMap((market) => look(market, view)),
        nextLook(view),
      ],
      onIntentOutcome: (outcome, view) => {
        const market = deniedMarket(outcome);
        if (market !== null) waits.begin(view.market(market).ticker, view.now, params.deniedWaitMs);
      },
      onMarket: ({ market }) => {
        if (market.status === 'finalized') memory.forget(market);
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

const timerAt = (at: Micros): Intent => ({ type: 'timer', name: 'look', at });

/** What is done, and why. The change is in hundredths of a contract, signed. */
interface Change {
  readonly index: MarketIndex;
  readonly change: number;
  readonly reason: string;
}

/** Takes so much at the touch, or what is there of it. Fees do not matter here: the means alone judge. */
function trade(view: StrategyView, { index, change, reason }: Change): Intent[] {
  const side = change > 0 ? 'buy' : 'sell';
  const take = takeAt(view, index, { side, qtyMax: qty(Math.abs(change)) });
  if (take === null) return [];
  return [{ type: 'place', market: index, side, price: take.price, qty: take.qty, timeInForce: 'ioc', reason }];
}
