// Markets that join and leave, compared with a plain computation. After every check a strategy has the markets that fit
// or that it holds a position in, each change is announced once, and none comes before the time that was named.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { strategyName, tradeId } from '../../src/domain/ids.ts';
import { type Micros, contracts, micros } from '../../src/domain/units.ts';
import { State } from '../../src/state/state.ts';
import { TIME_CHANGE_WITHIN } from '../../src/strategy/market-selection.ts';
import { StrategyRunner } from '../../src/strategy/strategy-runner.ts';
import type { MarketSelector } from '../../src/strategy/strategy-definition.ts';
import { BEGIN, aFill, aMarket, index, levels, tickerTable } from '../support/engine/builders.ts';
import { runCount } from '../support/runner/property-runs.ts';

const COUNT = 6;
const NAME = strategyName('s');
const MINUTE = 60_000_000;

/** A selector, and the same condition by plain computation. */
interface Condition {
  readonly selector: MarketSelector;
  readonly fits: (market: ExpectedMarket, leftUs: number) => boolean;
}

const CONDITIONS: Record<string, Condition> = {
  'time, volume and spread': {
    selector: { timeLeftMsMin: 60_000, volumeMin: contracts(5), spreadMax: 400 },
    fits: ({ volume, spread }, leftUs) => leftUs >= MINUTE && volume >= 5 && spread <= 4,
  },
  'the time left alone': {
    selector: { timeLeftMsMin: 30_000, timeLeftMsMax: 150_000 },
    fits: (_, leftUs) => leftUs >= MINUTE / 2 && leftUs <= 2.5 * MINUTE,
  },
  'at most a time left': {
    selector: { timeLeftMsMax: 0.3 },
    fits: (_, leftUs) => leftUs <= 300,
  },
};

/** A market in the plain computation. */
interface ExpectedMarket {
  closeAt: Micros;
  volume: number;
  spread: number;
  held: number;
}

class Bench {
  readonly #condition: Condition;
  readonly state = new State(tickerTable(COUNT));
  readonly expected: ExpectedMarket[] = [];
  readonly calls: string[] = [];
  readonly leftMarkets: number[] = [];
  readonly roster: StrategyRunner;

  constructor(condition: Condition) {
    this.#condition = condition;
    this.roster = new StrategyRunner(this.state, {
      strategies: [
        {
          name: NAME,
          selector: condition.selector,
          handlers: {
            onMarket: ({ market, before }) => void this.calls.push(`join ${market.index} ${before}`),
            onLeave: ({ market }) => void this.calls.push(`leave ${market.index}`),
          },
        },
      ],
      actions: {
        submitIntents: () => undefined,
        haltFailed: (_, reason) => {
          throw new Error(reason);
        },
        cancelStrategy: (_, market) => void this.leftMarkets.push(market),
        saveState: () => undefined,
      },
    });
    this.advance(0);
    for (let number = 0; number < COUNT; number++) {
      const closeAt = micros(BEGIN + (number + 1) * MINUTE);
      const market = aMarket(number, { closeAt });
      this.state.applyEvent({ kind: 'market', at: BEGIN, market }, []);
      this.expected.push({ closeAt, volume: 0, spread: 0, held: 0 });
      this.book(number, 3);
      this.roster.joinMarket(market);
    }
  }

  /** Moves a market's close by some time. The market may join at once. */
  close(number: number, byUs: number): void {
    const expected = this.expected[number]!;
    expected.closeAt = micros(expected.closeAt + byUs);
    const market = aMarket(number, { closeAt: expected.closeAt });
    this.state.applyEvent({ kind: 'market', at: this.state.now, market }, []);
    this.calls.length = 0;
    for (const running of this.roster.joinMarket(market)) this.roster.announceMarket(running, market);
  }

  advance(byUs: number): void {
    this.state.applyEvent({ kind: 'timer', at: micros(Math.max(BEGIN, this.state.now) + byUs) }, []);
  }

  book(number: number, spread: number): void {
    this.expected[number]!.spread = spread;
    const at = { at: this.state.now, exchangeAt: null, market: index(number) };
    const sides = { bids: levels([40, 5]), asks: levels([40 + spread, 5]) };
    this.state.applyEvent({ kind: 'book-snapshot', ...at, ...sides }, []);
  }

  trade(number: number, volume: number): void {
    this.expected[number]!.volume = volume;
    const none = { exchangeAt: null, lastPrice: null, bestBid: null, bestAsk: null, openInterest: contracts(0) };
    this.state.applyEvent(
      { kind: 'ticker', at: this.state.now, market: index(number), volume: contracts(volume), ...none },
      [],
    );
  }

  /** Gives the strategy a position of `held` contracts. */
  hold(number: number, held: number): void {
    const market = this.expected[number]!;
    const change = held - market.held;
    market.held = held;
    if (change === 0) return;
    const qty = contracts(Math.abs(change));
    const side = change > 0 ? 'buy' : 'sell';
    this.state.strategyLedgers.applyFill(NAME, aFill({ market: index(number), tradeId: tradeId('t'), side, qty }));
  }

  /** Updates the memberships and compares them with the plain computation. */
  update(): void {
    const before = [...this.roster.allStrategies()[0]!.view.markets];
    this.calls.length = 0;
    this.leftMarkets.length = 0;
    const dueAt = this.roster.upkeepDueAt();
    this.roster.updateMemberships();
    const fitting = this.expected.flatMap((market, number) =>
      this.#condition.fits(market, market.closeAt - this.state.now) || market.held !== 0 ? [number] : [],
    );
    const now = [...this.roster.allStrategies()[0]!.view.markets];
    expect(new Set(now)).toEqual(new Set(fitting));
    expect(now).toHaveLength(fitting.length);
    const joined = fitting.filter((number) => !before.includes(index(number)));
    const gone = before.filter((number) => !fitting.includes(number));
    const moves = [...joined.map((number) => `join ${number} null`), ...gone.map((number) => `leave ${number}`)];
    expect(new Set(this.calls)).toEqual(new Set(moves));
    if (this.state.now < dueAt - TIME_CHANGE_WITHIN) expect(moves).toEqual([]);
    expect(this.calls).toHaveLength(moves.length);
    expect(new Set(this.leftMarkets)).toEqual(new Set(gone));
    expect(this.leftMarkets).toHaveLength(gone.length);
    this.calls.length = 0;
    this.roster.updateMemberships();
    expect(this.calls).toEqual([]);
  }
}

const aNumber = fc.nat(COUNT - 1);
const anAct = fc.oneof(
  fc.record({ act: fc.constant('pass' as const), by: fc.oneof(fc.nat(90_000_000), fc.nat(400)) }),
  fc.record({ act: fc.constant('close' as const), market: aNumber, to: fc.integer({ min: -MINUTE, max: MINUTE }) }),
  fc.record({ act: fc.constant('book' as const), market: aNumber, to: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ act: fc.constant('trade' as const), market: aNumber, to: fc.nat(10) }),
  fc.record({ act: fc.constant('hold' as const), market: aNumber, to: fc.integer({ min: -1, max: 1 }) }),
);

describe('the markets of a strategy', () => {
  it.each(Object.entries(CONDITIONS))(
    'are after every check those that fit by %s, and those with a position of the strategy',
    (_, condition) => {
      fc.assert(
        fc.property(fc.array(anAct, { maxLength: 30 }), (acts) => {
          const bench = new Bench(condition);
          for (const act of acts) {
            if (act.act === 'pass') bench.advance(act.by);
            else bench[act.act](act.market, act.to);
            bench.update();
          }
        }),
        { numRuns: runCount(150) },
      );
    },
  );
});
