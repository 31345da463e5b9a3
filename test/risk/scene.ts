// One order in one moment, for the tables of denials: what is told of the market, who rests, what is held. (tidy: table)
import type { DenialCode } from '../../src/domain/denial.ts';
import {
  type ClientOrderId,
  type MarketIndex,
  type StrategyName,
  clientOrderId,
  tradeId,
} from '../../src/domain/ids.ts';
import type { EventGroup, Market, Series, Strike } from '../../src/domain/market.ts';
import type { Halt } from '../../src/domain/operator.ts';
import { type Micros, type Money, cents, contracts, dollars, money } from '../../src/domain/units.ts';
import { check } from '../../src/risk/check.ts';
import type { RiskLimits, StrategyLimits } from '../../src/risk/limits.ts';
import type { Proposal, Readiness, RiskContext, VenueTerms } from '../../src/risk/proposal.ts';
import { State } from '../../src/state/state.ts';
import { BEGIN, M0, MAKER, aFill, aMarket, aPlace, index, levels, tickerTable } from '../support/engine/builders.ts';
import { TERMS, aGroup, aSeries, describeGroup, riskContext } from './context.ts';

export interface Scene {
  readonly proposal?: Partial<Proposal>;
  readonly limits?: Partial<RiskLimits>;
  readonly readiness?: Readiness;
  readonly halt?: Halt;
  readonly market?: Partial<Market>;
  readonly cash?: number;
  readonly now?: Micros;
  /** A strategy's own limits. */
  readonly own?: StrategyLimits;
  /** What the strategy was allotted. */
  readonly capital?: Money;
  readonly venue?: Partial<VenueTerms>;
  readonly group?: Partial<EventGroup>;
  /** Its series charges nothing unless told otherwise; `null` where it is not known. */
  readonly series?: Partial<Series> | null;
  readonly book?: { readonly bids: readonly [number, number][]; readonly asks: readonly [number, number][] };
  /** Of each market. */
  readonly strikes?: readonly Strike[];
  readonly before?: (state: State) => void;
  /** What happened before that the state does not know. */
  readonly meanwhile?: (context: RiskContext) => void;
}

/** A sound order in a sound market: buy ten contracts at 40 cents. */
export function denialOf(scene: Scene = {}): unknown {
  const { proposal, limits, own, readiness, halt, market, cash, now, before, venue, group, series, book, strikes } =
    scene;
  const state = new State(tickerTable(2));
  if (series !== null) describeGroup(state, aGroup(2, group), aSeries(series));
  for (const number of [0, 1]) {
    state.apply(
      { kind: 'market', at: BEGIN, market: aMarket(number, { strike: strikes?.[number] ?? null, ...market }) },
      [],
    );
    state.apply(
      {
        kind: 'book-snapshot',
        at: BEGIN,
        exchangeAt: null,
        market: index(number),
        bids: levels(...(book?.bids ?? [[45, 1]])),
        asks: levels(...(book?.asks ?? [[55, 1]])),
      },
      [],
    );
  }
  state.portfolio.openCash(money(Math.round((cash ?? 1000) * 1e6)));
  state.portfolio.open();
  before?.(state);
  state.apply({ kind: 'unrecognized', at: now ?? BEGIN, what: 'nothing', detail: '' }, []);
  const terms: Proposal = { ...aPlace({ strategy: MAKER }), ...proposal };
  const context = riskContext(state, {
    account: limits ?? {},
    own: own ?? {},
    capital: scene.capital ?? null,
    venue: { ...TERMS, ...venue },
    readiness: readiness ?? { type: 'ready' },
    halt: halt ?? null,
  });
  scene.meanwhile?.(context);
  return check(terms, context);
}

let orderCount = 0;
/** An unfinished order of someone’s. */
export function rests(state: State, over: Parameters<typeof aPlace>[0] = {}): ClientOrderId {
  const id = clientOrderId(`r-${(orderCount += 1)}`);
  state.orders.add(aPlace({ clientOrderId: id, ...over }), '');
  return id;
}
interface Held {
  readonly size: number;
  readonly market?: MarketIndex;
  readonly at?: number;
  /** The strategy whose order it was; `null` for nobody's. */
  readonly by?: StrategyName | null;
}
let fillCount = 0;
/** So many contracts bought or sold, at 40 cents unless told otherwise. */
export const holds = (state: State, side: 'buy' | 'sell', { size, market = M0, at = 40, by = MAKER }: Held): void => {
  const terms = { market, side, price: cents(at), qty: contracts(size), fee: dollars(0) };
  const fill = aFill({ ...terms, tradeId: tradeId(`h-${(fillCount += 1)}`) });
  state.portfolio.book(fill);
  if (by !== null) state.strategyBooks.take(by, fill);
};

/** What is denied above the limit, and passes at it and below it. */
export interface Row {
  readonly code: DenialCode;
  readonly why: string;
  readonly passes: readonly Scene[];
  readonly denied: Scene;
  readonly figures?: object;
}

export const buy = (size: number, at = 40): Partial<Proposal> => ({ qty: contracts(size), price: cents(at) });
export const sell = (size: number, at = 60): Partial<Proposal> => ({ side: 'sell', ...buy(size, at) });
