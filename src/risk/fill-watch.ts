// Counts fills and contracts of the last minute, by market and by strategy. A program that trades far too often is
// broken, however good each trade looks.
import { contractsText } from '../domain/amounts.ts';
import type { MarketIndex, StrategyName } from '../domain/ids.ts';
import { type Micros, type Qty, fromSeconds, qty } from '../domain/units.ts';
import type { RiskLimits } from './risk-limits.ts';
import { RollingSum } from './rolling-sum.ts';

const MINUTE = fromSeconds(60);

class FillCounter {
  readonly fills = new RollingSum(MINUTE);
  readonly contracts = new RollingSum(MINUTE);

  add(fillQty: Qty, at: Micros): void {
    this.fills.addAmount(at);
    this.contracts.addAmount(at, fillQty);
  }

  /** Counting starts again from zero after an excess: trading resumes only after a person has looked at it. */
  excess(limits: Pick<RiskLimits, 'fillsPerMinuteMax' | 'contractsPerMinuteMax'>, now: Micros): string | null {
    const text = this.#describeExcess(limits, now);
    if (text === null) return null;
    this.fills.clear();
    this.contracts.clear();
    return text;
  }

  #describeExcess(
    { fillsPerMinuteMax, contractsPerMinuteMax }: Parameters<FillCounter['excess']>[0],
    now: Micros,
  ): string | null {
    const fills = this.fills.totalAt(now);
    if (fillsPerMinuteMax !== null && fills > fillsPerMinuteMax)
      return `${fills} fills within a minute are above fillsPerMinuteMax ${fillsPerMinuteMax}`;
    const contracts = qty(this.contracts.totalAt(now));
    if (contractsPerMinuteMax === null || contracts <= contractsPerMinuteMax) return null;
    return `${contractsText(contracts)} contracts within a minute are above contractsPerMinuteMax ${contractsText(contractsPerMinuteMax)}`;
  }
}

/** A fill of ours. */
export interface CountedFill {
  readonly market: MarketIndex;
  /** `null` where the fill belongs to no order of a strategy. */
  readonly strategy: StrategyName | null;
  readonly qty: Qty;
  readonly at: Micros;
}

/** A count and its market. `market` is `null` where the count is for no single market. */
export interface MarketCount {
  readonly count: number;
  readonly market: MarketIndex | null;
}

const NO_COUNT: MarketCount = { count: 0, market: null };

/** Counts fills by market. Counts them by strategy, too, where the strategy has fill limits of its own. */
export class FillWatch {
  /** Added with a market's first fill; removed with the market. */
  readonly #byMarket: (FillCounter | undefined)[] = [];
  /** Added with the first counted fill of a strategy; never removed. */
  readonly #byStrategy = new Map<StrategyName, FillCounter>();

  /** Counts the fill. Describes the exceeded limit, or returns `null`. */
  excessOfMarket({ market, qty: fillQty, at }: CountedFill, limits: RiskLimits): string | null {
    const counter = (this.#byMarket[market] ??= new FillCounter());
    counter.add(fillQty, at);
    return counter.excess(limits, at);
  }

  /** Counts the fill. Describes the exceeded limit, or returns `null`. */
  excessOfStrategy({ strategy, qty: fillQty, at }: CountedFill, limits: RiskLimits): string | null {
    if (strategy === null) return null;
    const counter = this.#byStrategy.get(strategy) ?? new FillCounter();
    this.#byStrategy.set(strategy, counter);
    counter.add(fillQty, at);
    return counter.excess(limits, at);
  }

  busiestMarket(now: Micros): Readonly<Record<'fills' | 'contracts', MarketCount>> {
    let fills: MarketCount = NO_COUNT;
    let traded: MarketCount = NO_COUNT;
    this.#byMarket.forEach((counter, market) => {
      if (counter === undefined) return;
      const fillCount = counter.fills.totalAt(now);
      const contractCount = counter.contracts.totalAt(now);
      if (fillCount > fills.count) fills = { count: fillCount, market: market as MarketIndex };
      if (contractCount > traded.count) traded = { count: contractCount, market: market as MarketIndex };
    });
    return { fills, contracts: traded };
  }

  /** 0 for a strategy without fill limits of its own. */
  countsOf(strategy: StrategyName, now: Micros): Readonly<Record<'fills' | 'contracts', MarketCount>> {
    const counter = this.#byStrategy.get(strategy);
    return {
      fills: { count: counter?.fills.totalAt(now) ?? 0, market: null },
      contracts: { count: counter?.contracts.totalAt(now) ?? 0, market: null },
    };
  }

  dropMarket(market: MarketIndex): void {
    this.#byMarket[market] = undefined;
  }
}
