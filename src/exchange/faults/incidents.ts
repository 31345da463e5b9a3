// Runs incidents of the exchange by a plan: pauses, halts, moved closes, disputes, grid changes, crashes. Must never do
// more than an operator could, nor act once it is stopped.
import type { FaultKind, IncidentRule } from '../../config/fault-config.ts';
import type { GridName } from '../../config/grid-names.ts';
import { unreachable } from '../../base/assert.ts';
import { ticker } from '../../domain/ids.ts';
import type { MarketStatus } from '../../domain/market.ts';
import { type Micros, micros } from '../../domain/units.ts';
import type { SetTimer } from '../session/exchange-driver.ts';
import { namedGrid } from '../markets/named-grids.ts';
import { RandomStream } from '../flow/random-stream.ts';
import type { OperatorOp } from '../machine/exchange-input.ts';
import type { MarketView } from '../machine/exchange-output.ts';
import type { ExchangeSession } from '../session/exchange-session.ts';
import type { IncidentStore, KeptIncident } from '../store/incident-file.ts';
import { PlannedPauses, isSameStatus, statusOf } from './planned-pauses.ts';

/** The plan of incidents, and the tools that carry it out. */
export interface IncidentTools {
  readonly rules: readonly IncidentRule[];
  readonly seed: number;
  /** The session; `null` while the exchange is down. */
  readonly session: () => ExchangeSession | null;
  readonly later: SetTimer;
  readonly crash: (downFor: Micros) => void;
  /** Called at every incident, except those that the exchange refuses. */
  readonly onFault?: (kind: FaultKind) => void;
  /** Keeps the incidents in force, so that a later process ends them. Default: they are not kept. */
  readonly kept?: IncidentStore;
}

type Rule<Kind extends IncidentRule['incident']> = Extract<IncidentRule, { incident: Kind }>;

const MICROS_PER_MS = 1000;
/** Wait before retrying when no market fits, or the exchange is down. */
const RETRY_US = micros(250_000);
/** A moved close stays at least this far in the future. */
const CLOSE_AHEAD_US = 1_000_000;

/** Runs the incidents of a plan, each at its time. */
export class IncidentRunner {
  readonly #tools: IncidentTools;
  readonly #timers = new Set<() => void>();
  /**
   * Rules that wait for a market that fits; their further incidents are skipped. Added when no market fits; removed
   * when a market is found.
   */
  readonly #waiting = new Set<IncidentRule>();
  readonly #pauses = new PlannedPauses();
  /** Ends of the pauses, halts and disputes in force. Added when one begins; removed when it ends. */
  readonly #ends = new Map<EndIncident, KeptMarketIncident | null>();

  constructor(tools: IncidentTools) {
    this.#tools = tools;
  }

  /** Ends what an earlier process has left in force, and begins the plan. */
  start(): void {
    const session = this.#tools.session();
    if (session !== null) this.#endLeft(session);
    this.#tools.rules.forEach((rule, index) => {
      const chance = new RandomStream(this.#tools.seed, `incidents/${index}`);
      const wait = (): Micros => micros(Math.round(rule.every === undefined ? 0 : chance.drawWait(rule.every)));
      this.#schedule({ rule, chance, wait, left: rule.times ?? (rule.every === undefined ? 1 : Infinity) });
    });
  }

  /** Ends the incidents in force, unless the exchange is down: it would go on with them when it is started again. */
  stop(): void {
    for (const cancelTimer of this.#timers) cancelTimer();
    this.#timers.clear();
    const session = this.#tools.session();
    if (session === null) return;
    for (const end of this.#ends.keys()) this.#act(session, end);
    this.#ends.clear();
    this.#keep();
  }

  #endLeft(session: ExchangeSession): void {
    const { kept } = this.#tools;
    if (kept === undefined) return;
    for (const incident of kept.left) this.#act(session, () => endKept(session, incident));
    kept.keepIncidents([]);
  }

  #keep(): void {
    const { kept: pauses } = this.#pauses;
    const markets = [...this.#ends.values()].filter((each) => each !== null);
    this.#tools.kept?.keepIncidents([...(pauses === null ? [] : [pauses]), ...markets]);
  }

  #schedule(run: RuleRun, isFirst = true): void {
    if (run.left <= 0) return;
    const { rule } = run;
    const delay = isFirst && rule.after !== undefined ? rule.after : run.wait();
    this.#runAfter(delay, () => {
      this.#apply(rule, run.chance);
      if (rule.every !== undefined) this.#schedule({ ...run, left: run.left - 1 }, false);
    });
  }

  #apply(rule: IncidentRule, chance: RandomStream): void {
    if (this.#waiting.has(rule)) return;
    switch (rule.incident) {
      case 'pause':
        return this.#pause(rule);
      case 'halt':
        return this.#halt(rule, chance);
      case 'close-early':
        return this.#applyToMarket(rule, {
          statuses: ['active'],
          chance,
          act: (market) => ({ type: 'close', ...tickerOf(market) }),
        });
      case 'move-close':
        return this.#moveClose(rule, chance);
      case 'dispute':
        return this.#dispute(rule, chance);
      case 'regrid':
        return this.#applyToMarket(rule, {
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
    this.#whenUp((session) => {
      const status = this.#pauses.begin(of, statusOf(session.exchange));
      this.#keep();
      session.submit({ type: 'set-exchange', ...status });
      this.#tools.onFault?.('pause');
      this.#endAfter(lasting, null, (later) => {
        later.submit({ type: 'set-exchange', ...this.#pauses.end(of, statusOf(later.exchange)) });
      });
    });
  }

  #halt(rule: Rule<'halt'>, chance: RandomStream): void {
    const act = (market: MarketView): OperatorOp => {
      const resume: OperatorOp = { type: 'resume', ...tickerOf(market) };
      this.#endAfter(rule.for, { type: 'halt', ...tickerOf(market) }, (session) => void session.submit(resume));
      return { type: 'halt', ...tickerOf(market) };
    };
    this.#applyToMarket(rule, { statuses: ['active'], chance, act });
  }

  #moveClose(rule: Rule<'move-close'>, chance: RandomStream): void {
    const act = (market: MarketView, now: Micros): OperatorOp => {
      const moved = market.closeAt + (rule.later ?? 0) - (rule.sooner ?? 0);
      return { type: 'move-close', ...tickerOf(market), closeAt: micros(Math.max(now + CLOSE_AHEAD_US, moved)) };
    };
    this.#applyToMarket(rule, { statuses: ['active', 'inactive'], chance, act });
  }

  #dispute(rule: Rule<'dispute'>, chance: RandomStream): void {
    const act = (market: MarketView): OperatorOp => {
      this.#endAfter(rule.for, { type: 'dispute', ...tickerOf(market) }, (session) =>
        endDispute(session, market, rule.outcome),
      );
      return { type: 'dispute', ...tickerOf(market) };
    };
    this.#applyToMarket(rule, { statuses: ['determined'], chance, act });
  }

  /** Applies an incident to the market that a rule names, or to any fitting market. Retries while no market fits. */
  #applyToMarket(rule: Exclude<IncidentRule, Rule<'pause' | 'crash'>>, incident: MarketIncident): void {
    this.#whenUp((session) => {
      const { statuses, chance, act } = incident;
      const { exchange } = session;
      const candidates = rule.market === undefined ? exchange.markets() : [exchange.market(ticker(rule.market))];
      const matching = candidates.filter((view) => view !== undefined && statuses.includes(view.status));
      const chosen = matching[Math.floor(chance.drawUniform() * matching.length)];
      if (chosen === undefined) {
        this.#waiting.add(rule);
        return this.#runAfter(RETRY_US, () => this.#applyToMarket(rule, incident));
      }
      this.#waiting.delete(rule);
      const { answer } = session.submit(act(chosen, session.now()));
      if (answer.type !== 'refused') this.#tools.onFault?.(rule.incident);
    });
  }

  #endAfter(delay: Micros, kept: KeptMarketIncident | null, end: EndIncident): void {
    this.#ends.set(end, kept);
    this.#keep();
    this.#runAfter(delay, () =>
      this.#whenUp((session) => {
        this.#ends.delete(end);
        end(session);
        this.#keep();
      }),
    );
  }

  #whenUp(act: (session: ExchangeSession) => void): void {
    const session = this.#tools.session();
    if (session === null) this.#runAfter(RETRY_US, () => this.#whenUp(act));
    else this.#act(session, act);
  }

  #act(session: ExchangeSession, act: (session: ExchangeSession) => void): void {
    try {
      act(session);
    } catch (error) {
      // When the session has failed, its failure listeners know already; a timer has no caller to throw to.
      if (session.failure === null) throw error;
    }
  }

  #runAfter(delay: Micros, act: () => void): void {
    const cancelTimer = this.#tools.later(delay / MICROS_PER_MS, () => {
      this.#timers.delete(cancel);
      act();
    });
    const cancel = (): void => cancelTimer();
    this.#timers.add(cancel);
  }
}

type EndIncident = (session: ExchangeSession) => void;
type KeptMarketIncident = Exclude<KeptIncident, { type: 'pause' }>;

interface RuleRun {
  readonly rule: IncidentRule;
  readonly chance: RandomStream;
  readonly wait: () => Micros;
  readonly left: number;
}

interface MarketIncident {
  readonly statuses: readonly MarketStatus[];
  readonly chance: RandomStream;
  readonly act: (market: MarketView, now: Micros) => OperatorOp;
}

const tickerOf = ({ definition }: MarketView) => ({ ticker: definition.ticker });

const gridOp = (market: MarketView, grid: GridName): OperatorOp => ({
  type: 'set-grid',
  ...tickerOf(market),
  gridName: grid,
  gridRanges: namedGrid(grid).ranges,
});

/** Ends an incident of an earlier process. What an operator has ended or changed since is left as it is. */
function endKept(session: ExchangeSession, incident: KeptIncident): void {
  switch (incident.type) {
    case 'pause':
      if (isSameStatus(statusOf(session.exchange), incident.set))
        session.submit({ type: 'set-exchange', ...incident.before });
      return;
    case 'halt':
      return void session.submit({ type: 'resume', ticker: incident.ticker });
    case 'dispute':
      return void session.submit({ type: 'uphold', ticker: incident.ticker });
  }
}

/**
 * Ends a dispute. Upholds the result when the exchange refuses to amend it: another market of an exclusive group may
 * have resolved YES.
 */
function endDispute(session: ExchangeSession, market: MarketView, outcome: Rule<'dispute'>['outcome']): void {
  const name = tickerOf(market);
  if (outcome === 'amend') {
    const result = market.result === 'yes' ? 'no' : 'yes';
    const { answer } = session.submit({ type: 'amend-result', ...name, result, settlementValue: null });
    if (answer.type !== 'refused') return;
  }
  session.submit({ type: 'uphold', ...name });
}
