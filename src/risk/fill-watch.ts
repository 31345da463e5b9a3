// How much was traded within the last minute, by market and by strategy: a machine that trades far more often than it
// should is broken, whatever each trade looks like.
import { contractsText } from '../domain/amounts.ts';
import type { MarketIndex, StrategyName } from '../domain/ids.ts';
import { type Micros, type Qty, fromSeconds, qty } from '../domain/units.ts';
import type { RiskLimits } from './limits.ts';
import { RollingSum } from './rolling-sum.ts';

const MINUTE = fromSeconds(60);

/** What was traded somewhere. */
class Traded {
  readonly fills = new RollingSum(MINUTE);
  readonly contracts = new RollingSum(MINUTE);

  add(size: Qty, at: Micros): void {
    this.fills.add(at);
    this.contracts.add(at, size);
  }

  /** What is above its limit, in words; it begins anew, because a person will have looked at it. */
  excess(limits: Pick<RiskLimits, 'fillsPerMinuteMax' | 'contractsPerMinuteMax'>, now: Micros): string | null {
    const text = this.#excess(limits, now);
    if (text === null) return null;
    this.fills.clear();
    this.contracts.clear();
    return text;
  }

  #excess({ fillsPerMinuteMax, contractsPerMinuteMax }: Parameters<Traded['excess']>[0], now: Micros): string | null {
    const fills = this.fills.total(now);
    if (fillsPerMinuteMax !== null && fills > fillsPerMinuteMax)
      return `${fills} fills within a minute are above fillsPerMinuteMax ${fillsPerMinuteMax}`;
    const contracts = qty(this.contracts.total(now));
    if (contractsPerMinuteMax === null || contracts <= contractsPerMinuteMax) return null;
    return `${contractsText(contracts)} contracts within a minute are above contractsPerMinuteMax ${contractsText(contractsPerMinuteMax)}`;
  }
}

/** One of our fills. */
export interface Watched {
  readonly market: MarketIndex;
  /** `null` where nobody's order is known. */
  readonly strategy: StrategyName | null;
  readonly qty: Qty;
  readonly at: Micros;
}

/** Watches every market, and every strategy that has such a limit of its own. */
export class FillWatch {
  readonly #byMarket: (Traded | undefined)[] = [];
  readonly #byStrategy = new Map<StrategyName, Traded>();

  /** Takes a fill: what it brought above the limit of its market. */
  ofMarket({ market, qty: size, at }: Watched, limits: RiskLimits): string | null {
    const traded = (this.#byMarket[market] ??= new Traded());
    traded.add(size, at);
    return traded.excess(limits, at);
  }

  /** Takes a fill: what it brought above the strategy's own limit. */
  ofStrategy({ strategy, qty: size, at }: Watched, limits: RiskLimits): string | null {
    if (strategy === null) return null;
    const traded = this.#byStrategy.get(strategy) ?? new Traded();
    this.#byStrategy.set(strategy, traded);
    traded.add(size, at);
    return traded.excess(limits, at);
  }

  /** Forgets a market: its number may soon be another's. */
  forget(market: MarketIndex): void {
    this.#byMarket[market] = undefined;
  }
}
