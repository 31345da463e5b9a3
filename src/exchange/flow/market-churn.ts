// Market churn: lists a new event group each period, by the clock, so that a restart continues the same sequence. Must
// never list a period twice, nor catch up on missed periods.
import type { ChurnConfig } from '../../config/exchange-config.ts';
import { type EventTicker, type Ticker, eventTicker, seriesTicker, ticker } from '../../domain/ids.ts';
import { isSettled } from '../../domain/market.ts';
import { type Micros, PAYOUT, type Price, micros, price } from '../../domain/units.ts';
import type { ExchangeReader } from '../machine/exchange-interface.ts';
import { namedGrid } from '../markets/named-grids.ts';
import type { MarketDefinition, Op } from '../machine/exchange-input.ts';
import type { StepResult } from '../machine/exchange-output.ts';
import { RandomStream } from './random-stream.ts';
import type { FlowMarket } from './latent-models.ts';

/** Options of the churn. */
export interface MarketChurnOptions {
  readonly seed: number;
  readonly rules: readonly ChurnConfig[];
  readonly exchange: ExchangeReader;
  readonly submit: (op: Op) => StepResult;
  readonly onListed: (markets: readonly FlowMarket[]) => void;
}

interface Period {
  readonly rule: ChurnConfig;
  /** Number of the period since the Unix epoch. */
  readonly number: number;
}

/** Least initial probability of a market. The greatest is one minus this value. */
const PROBABILITY_MIN = 0.2;

const periodAt = (rule: ChurnConfig, now: Micros): Period => ({ rule, number: Math.floor(now / rule.every) });
const startOf = ({ rule, number }: Period): Micros => micros(number * rule.every);
const groupOf = ({ rule, number }: Period): EventTicker => eventTicker(`${rule.series}-P${number}`);

/** Lists an event group with its markets at the start of each period of each rule. */
export class MarketChurn {
  readonly #options: MarketChurnOptions;
  #listedPeriods: readonly Period[] = [];

  constructor(options: MarketChurnOptions) {
    this.#options = options;
  }

  /** Start of the next period of any rule; 0 before the first `advance`; `null` without rules. */
  nextAt(): Micros | null {
    const { rules } = this.#options;
    if (rules.length === 0) return null;
    if (this.#listedPeriods.length === 0) return micros(0);
    return micros(Math.min(...this.#listedPeriods.map(({ rule, number }) => startOf({ rule, number: number + 1 }))));
  }

  /** Lists the groups of the current periods that are not listed yet. */
  advance(now: Micros): void {
    const { rules, exchange } = this.#options;
    const periods = rules.map((rule) => periodAt(rule, now));
    const newPeriods = periods.filter(({ number }, index) => number !== this.#listedPeriods[index]?.number);
    this.#listedPeriods = periods;
    for (const period of newPeriods) if (exchange.group(groupOf(period)) === undefined) this.#listPeriod(period, now);
  }

  /** Unsettled markets of the churn, for a flow that starts later. */
  openMarkets(): FlowMarket[] {
    const { rules, exchange, seed } = this.#options;
    return exchange.markets().flatMap(({ definition, seriesTicker: series, status }) => {
      const rule = rules.find((each) => each.series === series);
      const isOurs = rule !== undefined && definition.eventTicker.startsWith(`${rule.series}-P`);
      return isOurs && !isSettled(status) ? [flowMarket(rule, definition.ticker, seed)] : [];
    });
  }

  #listPeriod(period: Period, now: Micros): void {
    const { rule, number } = period;
    const { submit, exchange, seed, onListed } = this.#options;
    const group = groupOf(period);
    const name = exchange.series(seriesTicker(rule.series))?.title ?? rule.series;
    const title = `${name} ${number}`;
    const isExclusive = rule.exclusive;
    const definition = { ticker: group, seriesTicker: seriesTicker(rule.series), title, subtitle: '', isExclusive };
    submit({ type: 'define-group', group: definition });
    const tickers = Array.from({ length: rule.markets }, (_, index) => ticker(`${group}-${index + 1}`));
    tickers.forEach((each, index) => {
      const naming = { ticker: each, eventTicker: group, title: `${title}: outcome ${index + 1}` };
      submit({ type: 'define-market', market: definitionOf(rule, naming, now) });
    });
    // The tick opens the markets that are due now. The listener then reads them.
    submit({ type: 'tick' });
    onListed(tickers.map((each) => flowMarket(rule, each, seed)));
  }
}

type MarketNaming = Pick<MarketDefinition, 'ticker' | 'eventTicker' | 'title'>;

function definitionOf(rule: ChurnConfig, naming: MarketNaming, now: Micros): MarketDefinition {
  const openAt = micros(now + rule.opensIn);
  return {
    ...naming,
    yesSubtitle: 'Yes',
    noSubtitle: 'No',
    rules: '',
    gridName: rule.grid,
    gridRanges: namedGrid(rule.grid).ranges,
    qtyStep: rule.qtyStep,
    openAt,
    closeAt: micros(openAt + rule.lifetime),
    canCloseEarly: true,
    settlementDelay: rule.settlesAfter,
  };
}

/**
 * Exclusive markets start with equal probabilities. The start of any other market follows from its name and the seed.
 */
function flowMarket(rule: ChurnConfig, name: Ticker, seed: number): FlowMarket {
  const span = 1 - 2 * PROBABILITY_MIN;
  const share = rule.exclusive
    ? 1 / Math.max(2, rule.markets)
    : PROBABILITY_MIN + span * new RandomStream(seed, `churn/${name}`).drawUniform();
  return { ticker: name, probability: toPrice(share) };
}

const toPrice = (share: number): Price => price(Math.round(share * PAYOUT));
