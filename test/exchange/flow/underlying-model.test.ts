// Latent models of markets about one number: their probabilities are consistent, become certain, and never contradict.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExchangeConfig } from '../../../src/config/exchange-config.ts';
import { eventTicker, ticker } from '../../../src/domain/ids.ts';
import type { Strike } from '../../../src/domain/market.ts';
import { cents, micros } from '../../../src/domain/units.ts';
import { openExchange, startFlow } from '../../../src/exchange/session/exchange-driver.ts';
import { type StrikeMarket, UnderlyingModel, fitLine } from '../../../src/exchange/flow/underlying-model.ts';
import { START } from '../exchange-harness.ts';
import { runCount } from '../../support/runner/property-runs.ts';

const above = (floor: number): Strike => ({ type: 'greater', floor, cap: null });
const below = (cap: number): Strike => ({ type: 'less', floor: null, cap });
const market = (name: string, strike: Strike, probability: number): StrikeMarket => ({
  ticker: ticker(name),
  strike,
  probability: cents(probability),
});

const text = (probabilities: readonly number[]): string => `
seed: 4
accounts: [{ name: ann, cash: 1000 }]
series: [{ ticker: HIGH, title: The high of the day, category: Weather }]
eventGroups: [{ ticker: HIGH-1, series: HIGH, title: How warm will it be? }]
markets:
${probabilities
  .map(
    (probability, at) =>
      `  - { ticker: T${at}, eventGroup: HIGH-1, title: Above ${20 + at}?, closesIn: 20s, probability: ${probability}, strike: { type: greater, floor: ${20 + at} } }`,
  )
  .join('\n')}
flow: { changesPerSecond: 10, noiseTradesPerMinute: 60, crowdError: 0.4 }
`;

const MARKETS = [
  market('T20', above(20), 80),
  market('T22', above(22), 50),
  market('T24', above(24), 20),
  market('B22', below(22), 50),
  market('M', { type: 'between', floor: 20, cap: 24 }, 60),
];
const { flow } = parseExchangeConfig(text([0.7, 0.5]), 'exchange.yaml');
const ALL = { known: new Map(), closed: MARKETS.map((market) => market.ticker) };
const worldOf = (seed: number): UnderlyingModel =>
  new UnderlyingModel({
    name: 'HIGH-1',
    seed,
    startAt: START,
    endAt: micros(START + 60_000_000),
    markets: MARKETS,
    config: flow,
  });
const at = (seconds: number) => micros(START + seconds * 1_000_000);

describe('the line fitted to thresholds', () => {
  it('starts at even odds and is as wide as the probabilities imply', () => {
    const line = fitLine(MARKETS)!;
    expect(line.start).toBeCloseTo(22, 9);
    expect(line.scale).toBeCloseTo(2 / Math.log(4), 9);
  });

  it.each([
    ['one strike only', [market('A', above(1), 50)]],
    ['the same strike twice', [market('A', above(1), 50), market('B', above(1), 60)]],
    ['a higher strike that is more likely', [market('A', above(1), 30), market('B', above(2), 60)]],
  ])('does not exist with %s', (_name, markets) => {
    expect(fitLine(markets)).toBeNull();
  });
});

describe('a latent model of one number', () => {
  it('starts near the given probabilities', () => {
    const world = worldOf(1);
    for (const { ticker: name, probability } of MARKETS)
      expect(Math.abs(world.probability(name) - probability / 10_000)).toBeLessThan(0.01);
  });

  it('keeps ordered probabilities, complements that sum to one, and consistent results', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1 << 30 }), fc.integer({ min: 0, max: 70 }), (seed, seconds) => {
        const world = worldOf(seed);
        world.advanceTo(at(seconds));
        const [low = 0, middle = 0, high = 0, under = 0, within = 0] = MARKETS.map((each) =>
          world.probability(each.ticker),
        );
        expect(low).toBeGreaterThanOrEqual(middle);
        expect(middle).toBeGreaterThanOrEqual(high);
        expect(middle + under).toBeCloseTo(1, 9);
        expect(within).toBeCloseTo(low - high, 9);
        const results = world.resolveResults(ALL);
        const [isLow, isMiddle, isHigh, isUnder, isWithin] = MARKETS.map((each) => results.get(each.ticker));
        expect([isMiddle === true && isLow === false, isHigh === true && isMiddle === false]).toEqual([false, false]);
        expect([isUnder, isWithin]).toEqual([!isMiddle, isLow === true && isHigh === false]);
      }),
      { numRuns: runCount(60) },
    );
  });

  it('is certain at the end, and resolves YES as often as its initial probability', () => {
    const seeds = Array.from({ length: 400 }, (_, seed) => seed);
    const worlds = seeds.map(worldOf);
    const yes = worlds.filter((world) => world.resolveResults(ALL).get(ticker('T20')) === true);
    for (const world of worlds) expect([0, 1]).toContain(world.probability(ticker('T20')));
    expect(yes.length / seeds.length).toBeGreaterThan(0.74);
    expect(yes.length / seeds.length).toBeLessThan(0.86);
  });

  it('gives the same probabilities however often it is advanced', () => {
    const [often, once] = [worldOf(9), worldOf(9)];
    for (let step = 1; step <= 300; step++) often.advanceTo(micros(START + step * 100_000));
    once.advanceTo(at(30));
    for (const { ticker: name } of MARKETS) {
      expect(often.probability(name)).toBe(once.probability(name));
      expect(often.crowdView(name)).toBe(once.crowdView(name));
    }
  });
});

describe('an exchange with threshold markets', () => {
  it.each([
    ['shows books near the given probabilities and resolves consistently', [0.9, 0.5, 0.1]],
    ['gives strikes with contradicting probabilities a model each', [0.2, 0.5, 0.8]],
  ])('%s', (_name, probabilities) => {
    let now = START;
    const config = parseExchangeConfig(text(probabilities), 'exchange.yaml');
    const session = openExchange(config, { clock: () => now });
    let due = { at: Infinity, run: (): void => undefined };
    const running = startFlow(session, config, (delayMs, run) => {
      due = { at: now + delayMs * 1000, run };
      return () => (due = { at: Infinity, run });
    });
    const run = (seconds: number): void => {
      const end = micros(START + seconds * 1_000_000);
      while (due.at <= end) {
        now = micros(due.at);
        due.run();
      }
      now = end;
    };
    run(3);
    const { exchange } = session;
    const bids = exchange
      .marketsOf(eventTicker('HIGH-1'))
      .map((each) => exchange.stats(each.definition.ticker)?.bid?.price ?? 0);
    bids.forEach((bid, place) => expect(Math.abs(bid / 10_000 - (probabilities[place] ?? 0))).toBeLessThan(0.35));
    run(40);
    const results = exchange.marketsOf(eventTicker('HIGH-1')).map(({ result }) => result);
    expect(results).toHaveLength(3);
    const isMonotone = results.join().match(/^(yes,?)*(no,?)*$/) !== null;
    if ((probabilities[0] ?? 0) > (probabilities[2] ?? 0)) expect(isMonotone).toBe(true);
    for (const result of results) expect(['yes', 'no']).toContain(result);
    exchange.audit();
    running.stop();
  });
});
