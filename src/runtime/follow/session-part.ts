// The figures of a session for its followers: account, feed, budgets, strategies and limits. Must never change anything
// by reading, as a budget's `available` would: a replay would then decide otherwise.
import { addMoney, money, subtractMoney } from '../../domain/units.ts';
import type { MarketIndex } from '../../domain/ids.ts';
import type { RateBudget } from '../../domain/rate-budget.ts';
import type { Micros, Money } from '../../domain/units.ts';
import { valueOf } from '../../domain/position.ts';
import { lossesByOutcome } from '../../risk/exposure/outcome-losses.ts';
import type { GroupLoss } from '../../risk/exposure/exposure.ts';
import type { LimitUse } from '../../risk/limit-uses.ts';
import type { LimitUnit } from '../../risk/risk-limits.ts';
import { equity, markOf, positionValue, reservedCash } from '../../state/account/equity.ts';
import type { StrategyTally } from '../session/session-tally.ts';
import type { LiveSessionPart } from './follow-messages.ts';
import type { FollowSource } from './follow-source.ts';
import { liveScope } from './live-events.ts';
import type { SessionWatch } from './session-watch.ts';

/** Most event groups whose risk is sent, the worst first. */
export const GROUPS_MAX = 100;
/** Most outcomes of a group that are sent, the worst first. */
const OUTCOMES_MAX = 50;
/** Limits and groups are measured at this interval: thousands of orders take milliseconds. */
const RISK_INTERVAL_US = 1_000_000;

const UNITS = {
  contracts: 'qty',
  dollars: 'micros',
  price: 'price',
  distance: 'price',
  milliseconds: 'count',
  count: 'count',
} as const satisfies Record<LimitUnit, string>;

type LiveLimit = LiveSessionPart['limits'][number];

/** Figures measured at most once a second, all at one moment, so that they can be compared. */
interface RiskPart {
  readonly at: Micros;
  readonly phase: LiveSessionPart['phase'];
  readonly account: Pick<LiveSessionPart['account'], 'drawdownMicros' | 'exposureMicros' | 'exposureMaxMicros'>;
  readonly limits: readonly LiveLimit[];
  readonly groups: LiveSessionPart['groups'];
}

/** Builds the session's figures. */
export class SessionPart {
  readonly #source: FollowSource;
  readonly #watch: SessionWatch;
  readonly #untrustedCount: () => number;
  #risk: RiskPart | null = null;

  /** @param untrustedCount returns the number of open markets whose books are not live. */
  constructor(source: FollowSource, watch: SessionWatch, untrustedCount: () => number) {
    this.#source = source;
    this.#watch = watch;
    this.#untrustedCount = untrustedCount;
  }

  read(): LiveSessionPart {
    const { engine } = this.#source;
    const now = this.#source.now();
    const risk = this.#riskAt(now);
    const { lastFillAt } = this.#watch;
    return {
      phase: engine.session.phase,
      halts: engine.halts.listHalts().map(({ scope, by, reason, since }) => {
        return { scope: liveScope(scope), by, reason, sinceUs: since };
      }),
      account: { ...this.#account(), ...risk.account },
      feed: this.#feed(now),
      clock: this.#clock(now),
      drift: this.#drift(now),
      budgets: this.#budgets(now),
      orders: this.#orders(),
      strategies: this.#source.tally.strategies().map((tally) => this.#strategy(tally, risk.limits)),
      limits: risk.limits.filter(({ strategy }) => strategy === null),
      groups: risk.groups,
      overrides: engine.risk.limits.overrides.map(({ limit, strategy, value, until, reason }) => {
        return { limit, strategy, value, untilUs: until, reason };
      }),
      alarms: [...this.#watch.alarms()],
      lastFillUs: lastFillAt,
      marketCount: engine.state.markets.count,
      isExchangeTrading: engine.state.exchange.isTrading,
      remarks: [...this.#source.remarks()],
      journalBytes: this.#source.journalBytes(),
    };
  }

  #riskAt(now: Micros): RiskPart {
    const known = this.#risk;
    const { risk, state, strategyRunner, session } = this.#source.engine;
    const { phase } = session;
    const isCurrent = known !== null && known.phase === phase && now >= known.at && now - known.at < RISK_INTERVAL_US;
    if (isCurrent) return known;
    const tickerOf = (market: MarketIndex): string => state.tickers.tickerOf(market);
    const { groupCostMax } = risk.limits.account;
    const { lossFigures: losses, checkedEquity } = risk;
    const drawdownMicros = losses === null || checkedEquity === null ? null : checkedEquity - losses.peakEquity;
    const hasStrategies = strategyRunner.allStrategies().length > 0;
    return (this.#risk = {
      at: now,
      phase,
      account: {
        drawdownMicros,
        exposureMicros: risk.totalLoss(),
        exposureMaxMicros: hasStrategies ? risk.limits.account.accountCostMax : null,
      },
      limits: risk.limitUses().map((use) => liveLimit(use, tickerOf)),
      groups: risk.worstGroups(GROUPS_MAX).map((group) => liveGroup(group, tickerOf, groupCostMax)),
    });
  }

  #account(): Omit<LiveSessionPart['account'], keyof RiskPart['account']> {
    const { state, risk } = this.#source.engine;
    const { portfolio } = state;
    const { isOpen, evictedTotals } = portfolio;
    let [realized, fees, value, cost] = [evictedTotals.realized, evictedTotals.fees, money(0), money(0)];
    for (const [market, position] of portfolio.positions()) {
      realized = addMoney(realized, position.realized);
      fees = addMoney(fees, position.fees);
      value = addMoney(value, positionValue(state, market));
      cost = addMoney(cost, position.cost);
    }
    const unrealized = subtractMoney(value, cost);
    return {
      isOpen,
      equityMicros: equity(state),
      cashMicros: portfolio.cash,
      reservedMicros: reservedCash(state),
      positionsValueMicros: value,
      realizedMicros: realized,
      unrealizedMicros: unrealized,
      feesMicros: fees,
      profitMicros: realized + unrealized - fees,
      dayMicros: risk.dayProfit,
    };
  }

  #feed(now: Micros): LiveSessionPart['feed'] {
    const { engine, facts } = this.#source;
    const { state, feedWatch } = engine;
    const { feed } = state;
    return {
      isUp: feed.isUp,
      ageMs: feed.ageMs(now, facts.startedAt),
      lagMs: Math.round(state.feedLag() / 1000),
      connections: feed.connections,
      privateFault: feed.privateFault,
      fault: feedWatch.blockingFault(),
      gaps: state.surprises.get('feed-gap') ?? 0,
      resyncs: this.#watch.resyncs,
      untrustedBooks: this.#untrustedCount(),
    };
  }

  #clock(now: Micros): LiveSessionPart['clock'] {
    const { state, feedWatch } = this.#source.engine;
    const known = state.clock.estimate(now);
    return {
      offsetMs: known === null ? null : Math.round(known.offset / 1000),
      boundMs: known === null ? 0 : Math.ceil(known.bound / 1000),
      loopLateMs: Math.round(feedWatch.loopLateMs),
    };
  }

  #drift(now: Micros): LiveSessionPart['drift'] {
    const { comparedAt, qty, cash, isDrift } = this.#source.engine.session.ledger.comparison;
    const ageMs = comparedAt === null ? null : Math.round((now - comparedAt) / 1000);
    return { ageMs, qty, cashMicros: cash, isDrift };
  }

  #budgets(now: Micros): LiveSessionPart['budgets'] {
    const { planner } = this.#source.engine;
    const { read, trade } = this.#source.tally.rateLimited;
    return {
      read: liveBudget(planner.budgets.read, now),
      trade: liveBudget(planner.budgets.trade, now),
      cancelReserve: planner.cancelReserve,
      waiting: Object.entries(planner.waitingByLane()).map(([lane, count]) => ({ lane, count })),
      inFlight: planner.load.inFlight,
      rateRefusals: { read, trade },
    };
  }

  #orders(): LiveSessionPart['orders'] {
    const { orders } = this.#source.engine.state;
    const counts = { working: 0, waiting: 0, inFlight: 0, unknown: 0 };
    for (const { state } of orders.unfinishedOrders())
      if (state === 'queued') counts.waiting += 1;
      else if (state === 'in-flight') counts.inFlight += 1;
      else if (state === 'unknown') counts.unknown += 1;
      else counts.working += 1;
    return counts;
  }

  #strategy(tally: StrategyTally, limits: readonly LiveLimit[]): LiveSessionPart['strategies'][number] {
    const { name, haltedBy, orders, fills, filledQty, canceled, rejected, unknown, denials } = tally;
    const { state } = this.#source.engine;
    const ledger = state.strategyLedgers.ledgerOf(name);
    let unrealized = 0;
    for (const [market, { qty, cost }] of ledger.positions())
      if (qty !== 0) unrealized += valueOf(qty, markOf(state, market)) - cost;
    return {
      name,
      params: paramsText(this.#source.facts.params[name]),
      haltedBy,
      orders,
      fills,
      filledQty,
      feesMicros: ledger.fees,
      canceled,
      rejected,
      unknown,
      realizedMicros: ledger.realized,
      unrealizedMicros: unrealized,
      denials: [...denials].map(([code, count]) => ({ code, count })),
      limits: limits.filter(({ strategy }) => strategy === name),
      remarks: this.#watch.remarks.remarksOf(name),
    };
  }
}

const liveBudget = (budget: RateBudget, now: Micros): { available: number; capacity: number } => ({
  available: budget.peekAvailable(now),
  capacity: budget.capacity,
});

const liveLimit = ({ subject, unit, ...use }: LimitUse, tickerOf: (market: MarketIndex) => string): LiveLimit => ({
  ...use,
  subject: typeof subject === 'number' ? tickerOf(subject) : subject,
  unit: UNITS[unit],
});

function liveGroup(
  { eventTicker, isExclusive, worstLoss, markets }: GroupLoss,
  tickerOf: (market: MarketIndex) => string,
  groupCostMax: Money,
): LiveSessionPart['groups'][number] {
  const named = markets.map(({ market, no, yes, strike }) => ({ name: tickerOf(market), no, yes, strike }));
  const outcomes = lossesByOutcome(named, isExclusive)
    .sort((one, other) => other.loss - one.loss)
    .slice(0, OUTCOMES_MAX)
    .map(({ outcome, loss }) => ({ outcome, profitMicros: loss === 0 ? 0 : -loss }));
  return { group: eventTicker, worstMicros: worstLoss, allowedMicros: groupCostMax, outcomes };
}

/** Longest text sent of a parameter. A parameter may hold a whole file. */
const PARAM_CHARACTERS_MAX = 200;

const paramsText = (params: unknown): string =>
  JSON.stringify(params ?? {}, (_, value: unknown) =>
    typeof value === 'string' && value.length > PARAM_CHARACTERS_MAX
      ? `${value.slice(0, PARAM_CHARACTERS_MAX)}…`
      : value,
  );
