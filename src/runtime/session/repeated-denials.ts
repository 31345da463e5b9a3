// Counts denials that repeat: the first is reported at once, later equal denials as a number once a minute. Pure: times
// are passed in. Must never hold more denials than `KINDS_MAX`.
import { type Denial, describeDenial } from '../../domain/denial.ts';
import type { MarketIndex, StrategyName } from '../../domain/ids.ts';
import type { Intent } from '../../domain/intent.ts';
import { type Micros, fromSeconds } from '../../domain/units.ts';
import type { Notice } from '../../execution/engine-notice.ts';

/** Equal denials within a span of time. */
export interface DenialCount {
  readonly strategy: StrategyName;
  readonly code: Denial['code'];
  /** Market of the latest denial; `null` when its intent names no market. */
  readonly market: MarketIndex | null;
  readonly text: string;
  readonly count: number;
  /** Length of the span. Microseconds. */
  readonly span: number;
}

interface Repeated {
  readonly strategy: StrategyName;
  denial: Denial;
  market: MarketIndex | null;
  count: number;
  reportedAt: Micros;
}

/** Time between two reports of equal denials. Microseconds. */
const REPORT_INTERVAL = fromSeconds(60);
const KINDS_MAX = 1000;

/** Codes that do not depend on the market: their denials are equal in all markets. */
const OF_ALL_MARKETS: ReadonlySet<Denial['code']> = new Set(['not-ready', 'stopping']);

/** Counts denials by strategy, code and market. */
export class RepeatedDenials {
  /** Added with the first denial; removed after a minute without another denial. */
  readonly #byKey = new Map<string, Repeated>();
  #dueAt: number = Number.POSITIVE_INFINITY;

  /** Counts a denial. Returns true for the first denial of its kind, which is to be reported now. */
  countDenial({ strategy, intent, denial }: Extract<Notice, { type: 'denied' }>, at: Micros): boolean {
    const market = marketOf(intent);
    const key = `${strategy} ${denial.code} ${isOfAllMarkets(denial) ? '' : (market ?? '')}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.count += 1;
      known.denial = denial;
      known.market = market;
      return false;
    }
    if (this.#byKey.size >= KINDS_MAX) return true;
    this.#byKey.set(key, { strategy, denial, market, count: 0, reportedAt: at });
    this.#dueAt = Math.min(this.#dueAt, at + REPORT_INTERVAL);
    return true;
  }

  /** Returns the counts that are due, and begins the next minute of each. Cheap while nothing is due. */
  takeDue(now: Micros): readonly DenialCount[] {
    return now < this.#dueAt ? [] : this.#takeReports(now, REPORT_INTERVAL);
  }

  /** Returns every count that was not reported, for the end of a session. */
  takeAll(now: Micros): readonly DenialCount[] {
    return this.#takeReports(now, 0);
  }

  #takeReports(now: Micros, age: number): readonly DenialCount[] {
    const reports: DenialCount[] = [];
    this.#dueAt = Number.POSITIVE_INFINITY;
    for (const [key, repeated] of this.#byKey) {
      const span = now - repeated.reportedAt;
      if (span >= age) {
        if (repeated.count === 0) this.#byKey.delete(key);
        else reports.push(reportOf(repeated, span));
        repeated.count = 0;
        repeated.reportedAt = now;
      }
      if (this.#byKey.has(key)) this.#dueAt = Math.min(this.#dueAt, repeated.reportedAt + REPORT_INTERVAL);
    }
    return reports;
  }
}

const reportOf = ({ strategy, denial, market, count }: Repeated, span: number): DenialCount => ({
  strategy,
  code: denial.code,
  market,
  text: describeDenial(denial),
  count,
  span,
});

const marketOf = (intent: Intent): MarketIndex | null => ('market' in intent ? (intent.market ?? null) : null);

const isOfAllMarkets = (denial: Denial): boolean =>
  OF_ALL_MARKETS.has(denial.code) || (denial.code === 'halted' && denial.scope !== 'market');

/** Describes a count in words: `41 more times in 60 s: the account is halted by operator: test`. */
export const denialCountText = ({ count, span, text }: Pick<DenialCount, 'count' | 'span' | 'text'>): string =>
  `${count} more ${count === 1 ? 'time' : 'times'} in ${Math.round(span / 1_000_000)} s: ${text}`;
