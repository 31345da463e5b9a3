// Holds a bounded number of forecasts for each strategy and market, evenly over time. Frequent forecasts give a
// strategy no more weight.
import type { ForecastNote } from './run-record.ts';
import { SpacedSample } from './even-sample.ts';

/** Initial minimum time between recorded forecasts of a market. Microseconds. */
const SPACING = 1_000_000;
const PER_MARKET_MAX = 200;
const ALL_MAX = 40_000;

/** Forecasts by strategy and market. */
export class ForecastLog {
  readonly #rows = new Map<string, SpacedSample<ForecastNote>>();
  #perMarket = PER_MARKET_MAX;

  /** When false, the caller need not read the market's price. */
  isSampleDue(strategy: string, ticker: string, at: number): boolean {
    return this.#rows.get(keyOf(strategy, ticker))?.isSampleDue(at) ?? true;
  }

  push(note: ForecastNote): void {
    const key = keyOf(note.strategy, note.ticker);
    const known = this.#rows.get(key);
    if (known) return known.push(note);
    const row = new SpacedSample<ForecastNote>(this.#perMarket, SPACING);
    row.push(note);
    this.#rows.set(key, row);
    if (this.#rows.size * this.#perMarket > ALL_MAX && this.#perMarket > 2) this.#shrink();
  }

  #shrink(): void {
    this.#perMarket = Math.max(2, Math.floor(this.#perMarket / 2));
    for (const row of this.#rows.values()) row.lowerMax(this.#perMarket);
  }

  notes(): ForecastNote[] {
    return [...this.#rows.values()].flatMap((row) => row.items);
  }
}

const keyOf = (strategy: string, ticker: string): string => JSON.stringify([strategy, ticker]);
