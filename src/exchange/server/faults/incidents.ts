// What befalls the exchange by itself, as a plan says: pauses, halts, closes that move, disputed answers, crashes.
// Must never do more than its operator could, nor keep anything going once it is stopped.
import type { FaultKind, IncidentRule } from '../../../config/fault-config.ts';
import type { GridName } from '../../../config/grid-names.ts';
import { unreachable } from '../../../domain/assert.ts';
import { ticker } from '../../../domain/ids.ts';
import type { MarketStatus } from '../../../domain/market.ts';
import { type Micros, micros } from '../../../domain/units.ts';
import type { SetTimer } from '../../driver.ts';
import { gridOf } from '../../grids.ts';
import { Chance } from '../../flow/chance.ts';
import type { OperatorOp } from '../../input.ts';
import type { MarketView } from '../../output.ts';
import type { ExchangeSession } from '../../session.ts';

/** What incidents work with. */
export interface IncidentTools {
  readonly rules: readonly IncidentRule[];
  readonly seed: number;
  /** The exchange; `null` while it is down. */
  readonly session: () => ExchangeSession | null;
  readonly later: SetTimer;
  /** Kills the exchange; it comes back after so long. */
  readonly crash: (downFor: Micros) => void;
  /** Hears of everything that happens. */
  readonly onFault?: (kind: FaultKind) => void;
}

type Rule<Kind extends IncidentRule['incident']> = Extract<IncidentRule, { incident: Kind }>;

const MICROS_PER_MS = 1000;
/** How long until it is looked again for a market to happen to, or for an exchange that is down. */
const RETRY_US = micros(250_000);
/** A close that moves ahead stays this far away. */
const CLOSE_AHEAD_US = 1_000_000;

/** Lets incidents happen. */
export class Incidents {
  readonly #tools: IncidentTools;
  readonly #timers = new Set<() => void>();
  /** Rules that wait for a market to happen to: what is drawn meanwhile does not happen. */
  readonly #waiting = new Set<IncidentRule>();
  /** Pauses in force: of trading, and of everything. */
  readonly #pauses = { trading: 0, exchange: 0 };

  constructor(tools: IncidentTools) {
    this.#tools = tools;
  }

  start(): void {
    this.#tools.rules.forEach((rule, index) => {
      const chance = new Chance(this.#tools.seed, `incidents/${index}`);
      const wait = (): Micros => micros(Math.round(rule.every === undefined ? 0 : chance.wait(rule.every)));
      this.#schedule({ rule, chance, wait, left: rule.times ?? (rule.every === undefined ? 1 : Infinity) });
    });
  }

  /** Nothing happens any more. */
  stop(): void {
    for (const unset of this.#timers) unset();
    this.#timers.clear();
  }

  #schedule(series: Series, isFirst = true): void {
    if (series.left <= 0) return;
    const { rule } = series;
    const delay = isFirst && rule.after !== undefined ? rule.after : series.wait();
    this.#after(delay, () => {
      this.#happen(rule, series.chance);
      if (rule.every !== undefined) this.#schedule({ ...series, left: series.left - 1 }, false);
    });
  }

  #happen(rule: IncidentRule, chance: Chance): void {
    if (this.#waiting.has(rule)) return;
    switch (rule.incident) {
      case 'pause':
        return this.#pause(rule);
      case 'halt':
        return this.#halt(rule, chance);
      case 'close-early':
        return this.#toMarket(rule, {
          statuses: ['active'],
          chance,
          act: (market) => ({ type: 'close', ...named(market) }),
        });
      case 'move-close':
        return this.#moveClose(rule, chance);
      case 'dispute':
        return this.#dispute(rule, chance);
      case 'regrid':
        return this.#toMarket(rule, {
          statuses: ['active', 'inactive'],
          chance,
          act: (market) => gridOp(market, rule.grid),
        });
      case 'crash':
        this.#tools.onFault?.('crash');
        return this.#tools.crash(rule.for);
      default:
        return unreachable(rule);
    }
  }

  #pause({ of, for: lasting }: Rule<'pause'>): void {
    const change = (by: 1 | -1) => (session: ExchangeSession) => {
      this.#pauses[of] += by;
      const isActive = this.#pauses.exchange === 0;
      session.submit({ type: 'set-exchange', isActive, isTrading: isActive && this.#pauses.trading === 0 });
    };
    this.#whenUp(change(1));
    this.#tools.onFault?.('pause');
    this.#after(lasting, () => this.#whenUp(change(-1)));
  }

  #halt(rule: Rule<'halt'>, chance: Chance): void {
    const act = (market: MarketView): OperatorOp => {
      const resume: OperatorOp = { type: 'resume', ...named(market) };
      this.#after(rule.for, () => this.#whenUp((session) => void session.submit(resume)));
      return { type: 'halt', ...named(market) };
    };
    this.#toMarket(rule, { statuses: ['active'], chance, act });
  }

  #moveClose(rule: Rule<'move-close'>, chance: Chance): void {
    const act = (market: MarketView, now: Micros): OperatorOp => {
      const moved = market.closeAt + (rule.later ?? 0) - (rule.sooner ?? 0);
      return { type: 'move-close', ...named(market), closeAt: micros(Math.max(now + CLOSE_AHEAD_US, moved)) };
    };
    this.#toMarket(rule, { statuses: ['active', 'inactive'], chance, act });
  }

  #dispute(rule: Rule<'dispute'>, chance: Chance): void {
    const act = (market: MarketView): OperatorOp => {
      this.#after(rule.for, () => this.#whenUp((session) => endDispute(session, market, rule.outcome)));
      return { type: 'dispute', ...named(market) };
    };
    this.#toMarket(rule, { statuses: ['determined'], chance, act });
  }

  /** Does something to the market that a rule names, or to any that fits; when none does, to the first that will. */
  #toMarket(rule: Exclude<IncidentRule, Rule<'pause' | 'crash'>>, choice: Choice): void {
    this.#whenUp((session) => {
      const { statuses, chance, act } = choice;
      const { exchange } = session;
      const named = rule.market === undefined ? exchange.markets() : [exchange.market(ticker(rule.market))];
      const fitting = named.filter((view) => view !== undefined && statuses.includes(view.status));
      const chosen = fitting[Math.floor(chance.uniform() * fitting.length)];
      if (chosen === undefined) {
        this.#waiting.add(rule);
        return this.#after(RETRY_US, () => this.#toMarket(rule, choice));
      }
      this.#waiting.delete(rule);
      const { answer } = session.submit(act(chosen, session.now()));
      if (answer.type !== 'refused') this.#tools.onFault?.(rule.incident);
    });
  }

  /** As soon as the exchange is up. */
  #whenUp(act: (session: ExchangeSession) => void): void {
    const session = this.#tools.session();
    if (session === null) return this.#after(RETRY_US, () => this.#whenUp(act));
    try {
      act(session);
    } catch (error) {
      // It stands still for good, and those who wait for that are told; a timer has nobody to throw at.
      if (session.failure === null) throw error;
    }
  }

  #after(delay: Micros, act: () => void): void {
    const unset = this.#tools.later(delay / MICROS_PER_MS, () => {
      this.#timers.delete(forget);
      act();
    });
    const forget = (): void => unset();
    this.#timers.add(forget);
  }
}

/** One rule's incidents, one after another. */
interface Series {
  readonly rule: IncidentRule;
  readonly chance: Chance;
  readonly wait: () => Micros;
  readonly left: number;
}

/** Which markets something may happen to, and what. */
interface Choice {
  readonly statuses: readonly MarketStatus[];
  readonly chance: Chance;
  readonly act: (market: MarketView, now: Micros) => OperatorOp;
}

const named = ({ definition }: MarketView) => ({ ticker: definition.ticker });

const gridOp = (market: MarketView, grid: GridName): OperatorOp => ({
  type: 'set-grid',
  ...named(market),
  gridName: grid,
  gridRanges: gridOf(grid).ranges,
});

/** An answer that cannot be changed, as a rival has come true, stands. */
function endDispute(session: ExchangeSession, market: MarketView, outcome: Rule<'dispute'>['outcome']): void {
  const name = named(market);
  if (outcome === 'amend') {
    const result = market.result === 'yes' ? 'no' : 'yes';
    const { answer } = session.submit({ type: 'amend-result', ...name, result, settlementValue: null });
    if (answer.type !== 'refused') return;
  }
  session.submit({ type: 'uphold', ...name });
}
