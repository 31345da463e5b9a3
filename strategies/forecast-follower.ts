// Trades where a forecast and the market's price disagree. A file gives the probability of each market, and Kelly's
// rule gives the stake. Only a fraction of that stake is used, because forecasts err, too. Positions are held to the
// end.
//
// Loses when the market knows better, which is often. A price far from the forecast gives a large stake, but also
// suggests that the forecast is merely old.

// Sources: J. L. Kelly 1956, “A New Interpretation of Information Rate”. Forecasts made from odds have a bias: bettors
// bet too much on longshots and too little on favorites. `sharpening` above 1 moves each forecast away from one half.
// R. Thaler and W. Ziemba 1988, “Parimutuel Betting Markets: Racetracks and Lotteries”, found that necessary.
import {
  type Intent,
  MarketMemory,
  type MarketIndex,
  type Probability,
  type StrategyView,
  Waits,
  contracts,
  defineStrategy,
  deniedMarket,
  dollars,
  kellyQty,
  logistic,
  logit,
  nearestPrice,
  probabilityFile,
  qty,
  takeAt,
  waitsState,
  worthOf,
  z,
} from 'presage-trading';

export default defineStrategy({
  name: 'forecast-follower',
  description: 'Buys what a file of probabilities says is cheap, by a fraction of Kelly’s rule.',
  params: z.strictObject({
    forecasts: probabilityFile().describe('CSV file with the columns ticker, probability and, where they change, at'),
    sharpening: z
      .number()
      .positive()
      .default(1)
      .describe('factor on the log-odds of forecasts: above 1 favors favorites'),
    kellyFraction: z.number().gt(0).max(1).default(0.25).describe('part of Kelly’s stake'),
    bankrollDollars: z
      .number()
      .int()
      .positive()
      .default(100)
      .describe('capital that Kelly’s stake is a share of, per market'),
    edgeCents: z.number().min(0).default(2).describe('least expected profit per contract, after fees'),
    qtyContractsMax: z.number().int().positive().default(20).describe('most contracts of one order'),
    deniedWaitMs: z.number().int().min(0).default(30_000).describe('wait in a market after an order was denied'),
  }),
  saved: z.strictObject({ told: z.array(z.tuple([z.string(), z.number()])), waits: waitsState }),
  markets: ({ forecasts }) => ({ tickers: forecasts.tickers }),
  setup({ params }) {
    const [bankroll, fraction] = [dollars(params.bankrollDollars), params.kellyFraction];
    const waits = new Waits();
    /** The last published forecast of each market; reports score them. */
    const published = new MarketMemory({ begin: () => -1, capacity: params.forecasts.tickers.length + 1 });

    function checkMarket(index: MarketIndex, view: StrategyView): Intent[] {
      const market = view.market(index);
      const row = params.forecasts.lookup(market.ticker, view.now);
      if (row === null || market.status !== 'active') return [];
      const chance = logistic(params.sharpening * logit(row.probability));
      const isBusy = waits.isWaiting(market.ticker, view.now) || view.orders(index).length > 0;
      return [...forecast(index, chance, view), ...(isBusy ? [] : trade(index, chance, view))];
    }

    function forecast(index: MarketIndex, chance: Probability, view: StrategyView): Intent[] {
      const market = view.market(index);
      if (published.of(market) === chance) return [];
      published.set(market, chance);
      return [{ type: 'forecast', market: index, probability: nearestPrice(chance), reason: 'by the file' }];
    }

    function trade(index: MarketIndex, chance: Probability, view: StrategyView): Intent[] {
      const fees = view.fees(index);
      const wanted = kellyQty({ probability: chance, touch: view.book(index), bankroll, fraction, fees });
      if (wanted === null) return [];
      const { side } = wanted;
      const sign = side === 'buy' ? 1 : -1;
      const missing = Math.min(wanted.qty - sign * view.own(index).qty, contracts(params.qtyContractsMax));
      const take = takeAt(view, index, { side, qtyMax: qty(missing) });
      const edge = take === null ? -1 : (sign * (worthOf(chance) - take.net)) / 100;
      if (take === null || edge < params.edgeCents) return [];
      const reason = `forecast ${(100 * chance).toFixed(1)}%: ${edge.toFixed(2)}¢ after fees`;
      return [{ type: 'place', market: index, side, price: take.price, qty: take.qty, timeInForce: 'ioc', reason }];
    }

    return {
      onBook: ({ market, isTouch }, view) => (isTouch ? checkMarket(market, view) : undefined),
      onIntentOutcome: (outcome, view) => {
        const market = deniedMarket(outcome);
        if (market !== null) waits.begin(view.market(market).ticker, view.now, params.deniedWaitMs);
      },
      onMarket: ({ market }) => {
        if (market.status === 'finalized') published.forget(market);
      },
      save: () => ({ told: published.save((chance) => chance), waits: waits.state }),
      restore: (saved) => {
        published.restore(saved.told, (chance) => chance);
        waits.restore(saved.waits);
      },
    };
  },
});
