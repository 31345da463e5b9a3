// One proposed order at one moment, for the tables of denials: the market, the resting orders and the positions. (tidy:
// table)
import type { DenialCode } from '../../src/domain/denial.ts';
import {
  type ClientOrderId,
  type MarketIndex,
  type StrategyName,
  clientOrderId,
  tradeId,
} from '../../src/domain/ids.ts';
import type { EventGroup, Market, Series, Strike } from '../../src/domain/market.ts';
import type { Halt } from '../../src/domain/operator-order.ts';
import { type Micros, type Money, cents, contracts, dollars, money } from '../../src/domain/units.ts';
import { checkOrder } from '../../src/risk/risk-check.ts';
import type { RiskLimits, StrategyLimits } from '../../src/risk/risk-limits.ts';
import type { Proposal, Readiness, RiskContext, VenueTerms } from '../../src/risk/rules/proposal.ts';
import { State } from '../../src/state/state.ts';
import { BEGIN, M0, MAKER, aFill, aMarket, aPlace, index, levels, tickerTable } from '../support/engine/builders.ts';
import { TERMS, aGroup, aSeries, describeGroup, riskContext } from './rule-context.ts';

export interface DenialScene {
  readonly proposal?: Partial<Proposal>;
  readonly limits?: Partial<RiskLimits>;
  readonly readiness?: Readiness;
  readonly halt?: Halt;
  readonly market?: Partial<Market>;
  readonly cash?: number;
  readonly now?: Micros;
  /** The strategy's own limits. */
  readonly own?: StrategyLimits;
  /** Capital allotted to the strategy. */
  readonly capital?: Money;
  readonly venue?: Partial<VenueTerms>;
  readonly group?: Partial<EventGroup>;
  /** The series charges no fees by default; `null` where it is not known. */
  readonly series?: Partial<Series> | null;
  readonly book?: { readonly bids: readonly [number, number][]; readonly asks: readonly [number, number][] };
  /** The strike of each market. */
  readonly strikes?: readonly Strike[];
  readonly before?: (state: State) => void;
  /** Earlier orders and prints, which the state does not record. */
  readonly meanwhile?: (context: RiskContext) => void;
}

/** Denial of a sound order in a sound market: buy ten contracts at 40 cents. */
export function denialOf(scene: DenialScene = {}): unknown {
  const { proposal, limits, own, readiness, halt, market, cash, now, before, venue, group, series, book, strikes } =
    scene;
  const state = new State(tickerTable(2));
  if (series !== null) describeGroup(state, aGroup(2, group), aSeries(series));
  for (const number of [0, 1]) {
    state.applyEvent(
      { kind: 'market', at: BEGIN, market: aMarket(number, { strike: strikes?.[number] ?? null, ...market }) },
      [],
    );
    state.applyEvent(
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
  state.portfolio.setOpeningCash(money(Math.round((cash ?? 1000) * 1e6)));
  state.portfolio.openAccount();
  before?.(state);
  state.applyEvent({ kind: 'unrecognized', at: now ?? BEGIN, what: 'nothing', detail: '' }, []);
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
  return checkOrder(terms, context);
}

let orderCount = 0;
/** Adds an unfinished order to the state. */
export function addResting(state: State, over: Parameters<typeof aPlace>[0] = {}): ClientOrderId {
  const id = clientOrderId(`r-${(orderCount += 1)}`);
  state.orders.addOrder(aPlace({ clientOrderId: id, ...over }), '');
  return id;
}
interface Held {
  readonly size: number;
  readonly market?: MarketIndex;
  readonly at?: number;
  /** The strategy of the order; `null` for an order of no strategy. */
  readonly by?: StrategyName | null;
}
let fillCount = 0;
/** Books a fill of `size` contracts, at 40 cents by default. */
export const addPosition = (
  state: State,
  side: 'buy' | 'sell',
  { size, market = M0, at = 40, by = MAKER }: Held,
): void => {
  const terms = { market, side, price: cents(at), qty: contracts(size), fee: dollars(0) };
  const fill = aFill({ ...terms, tradeId: tradeId(`h-${(fillCount += 1)}`) });
  state.portfolio.applyFill(fill);
  if (by !== null) state.strategyLedgers.applyFill(by, fill);
};

/** A denied scene, and scenes at and below the limit that pass. */
export interface DenialRow {
  readonly code: DenialCode;
  readonly why: string;
  readonly passes: readonly DenialScene[];
  readonly denied: DenialScene;
  readonly figures?: object;
}

export const buy = (size: number, at = 40): Partial<Proposal> => ({ qty: contracts(size), price: cents(at) });
export const sell = (size: number, at = 60): Partial<Proposal> => ({ side: 'sell', ...buy(size, at) });
