// Fitted delays: clocks, distributions, and the tables that sessions deserve.
import * as fc from 'fast-check';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../../src/config/yaml.ts';
import { type DelayRow, type SimulationConfig, simulationSchema } from '../../../src/config/simulation-config.ts';
import { z } from 'zod';
import { clockOffset } from '../../../src/research/calibration/offset-bounds.ts';
import { cancelSurvival } from '../../../src/research/calibration/cancel-survival.ts';
import {
  ksDistance,
  quantile,
  quantileTable,
  sorted,
  tableDistance,
  tableShare,
} from '../../../src/research/calibration/distribution.ts';
import { fitLatency } from '../../../src/research/calibration/latency-fit.ts';
import type { MeasuredSettings, ScoredModel } from '../../../src/research/calibration/queue-fit.ts';
import { simulationBlock } from '../../../src/research/calibration/simulation-block.ts';
import type { RestingSpell, SessionFacts, Trip } from '../../../src/research/calibration/calibration-facts.ts';

const HOUR = 3_600_000_000;
const START = 500_000 * HOUR;

function uniform(seed: number): () => number {
  const generator = xoroshiro128plus(seed);
  return () => (generator.next() >>> 0) / 2 ** 32;
}

interface Delays {
  readonly order: (way: Trip['way'], hour: number) => number;
  readonly answer: () => number;
}

/** A session whose venue's clock is `ahead` of ours, with requests through `hours` hours. */
function sessionOf(
  count: number,
  { order, answer }: Delays,
  { hours = 1, ahead = 0, hasVenueTimes = true } = {},
): SessionFacts {
  const trips = Array.from({ length: count }, (_, index): Trip => {
    const way = index % 2 === 0 ? 'order' : 'cancel';
    const askedAt = START + Math.floor((index * hours * HOUR) / count);
    const there = order(way, Math.floor((askedAt - START) / HOUR));
    const effectAt = hasVenueTimes ? askedAt + there + ahead : null;
    return { way, askedAt, answeredAt: askedAt + there + answer(), effectAt, shownAt: null };
  });
  const none = { feed: [], spells: [], changes: [], taken: new Set<string>() };
  return { name: 's', from: START, to: START + hours * HOUR, trips, ...none };
}

describe('distributions', () => {
  it.each([
    [[1, 2, 3, 4], [1, 2, 3, 4], 0],
    [[1, 2, 3, 4], [5, 6], 1],
    [[1, 2, 3, 4], [3, 4, 5, 6], 0.5],
    [[1, 1, 1, 2], [1, 2, 2, 2], 0.5],
  ])('the distance of %j and %j is %d', (a, b, distance) => {
    expect(ksDistance(a, b)).toBe(distance);
    expect(ksDistance(b, a)).toBe(distance);
  });

  it('a table lies close to the sample that it was made of', () => {
    const draw = uniform(5);
    const samples = sorted(Array.from({ length: 4000 }, () => 5000 - 3000 * Math.log(1 - draw())));
    expect(tableDistance(quantileTable(samples), samples)).toBeLessThan(0.01);
    expect(quantile([10, 20], 0.25)).toBe(12.5);
  });

  it('the share of a table never falls, from 0 below its first delay to 1 at its last', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 1_000_000 }), { minLength: 1, maxLength: 50 }),
        fc.nat(),
        fc.nat(),
        (unsorted, a, b) => {
          const table = quantileTable(sorted(unsorted));
          expect(tableShare(table, Math.min(a, b))).toBeLessThanOrEqual(tableShare(table, Math.max(a, b)));
          expect(tableShare(table, Math.min(...unsorted) - 1)).toBe(0);
          expect(tableShare(table, Math.max(...unsorted))).toBe(1);
        },
      ),
    );
  });
});

describe('the clocks', () => {
  it('the offset lies within the stated bounds of the true one, whatever the delays', () => {
    const delay = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(delay, delay), { minLength: 1 }),
        fc.integer({ min: -1e9, max: 1e9 }),
        (delays, ahead) => {
          const trips = delays.map(([there, back], index): Trip => {
            const askedAt = START + index * 1_000_000;
            return {
              way: 'order',
              askedAt,
              answeredAt: askedAt + there + back,
              effectAt: askedAt + there + ahead,
              shownAt: null,
            };
          });
          const { offset, within } = clockOffset(trips, [])!;
          expect(Math.abs(offset + ahead)).toBeLessThanOrEqual(within + 1e-3);
        },
      ),
    );
  });

  it('the offset is unknown without times of the venue, and where the clocks drifted', () => {
    const trip: Trip = { way: 'order', askedAt: 0, answeredAt: 10, effectAt: null, shownAt: null };
    expect(clockOffset([trip], [])).toBeNull();
    expect(
      clockOffset(
        [
          { ...trip, effectAt: 5 },
          { ...trip, effectAt: 500 },
        ],
        [],
      ),
    ).toBeNull();
  });
});

describe('fitted delays', () => {
  it('the ways there and back are separated by the times of a venue whose clock is ahead', () => {
    const draw = uniform(3);
    const delays = { order: () => 2000 + 30_000 * draw() ** 2, answer: () => 2000 + 4000 * draw() };
    const { order, answer, separated, offsetWithin } = fitLatency([sessionOf(3000, delays, { ahead: 7_000_000 })]);
    const median = (rows: typeof order): number => rows[0]!.quantiles.find(([percent]) => percent === 50)![1];
    expect(median(order) / 9500).toBeCloseTo(1, 1);
    expect(median(answer) / 4000).toBeCloseTo(1, 1);
    expect(separated).toBe(1);
    expect(offsetWithin).toBeLessThan(2100);
    expect(order).toHaveLength(1);
  });

  describe('for a tape whose rows keep their recorded times', () => {
    const [ORDER, ANSWER, FEED] = [80_000, 40_000, 500];
    const medianOf = (rows: readonly DelayRow[]): number => rows[0]!.quantiles.find(([percent]) => percent === 50)![1];
    const fitted = (ahead: number) => {
      const session = sessionOf(400, { order: () => ORDER, answer: () => ANSWER }, { ahead });
      const feed = session.trips.map(({ askedAt }) => ({ at: askedAt, venueAt: askedAt - FEED + ahead }));
      return { recorded: fitLatency([{ ...session, feed }]), drawn: fitLatency([{ ...session, feed }], 'drawn') };
    };

    it('the way there is by the clock of the rows: their delay and that of an order add up to the true time', () => {
      // A clock that is behind shows rows as older by as much as it shows orders as faster.
      for (const ahead of [0, -30_000, 300]) {
        const { recorded } = fitted(ahead);
        expect(medianOf(recorded.order)).toBe(ORDER + ahead);
        expect(medianOf(recorded.order) + medianOf(recorded.answer)).toBe(ORDER + ANSWER);
        expect(recorded).toMatchObject({ clock: 'tape', separated: 1 });
      }
    });

    it('a row that would have come before it happened counts as happening when it came', () => {
      const { recorded } = fitted(10_000);
      expect(medianOf(recorded.order)).toBe(ORDER + FEED);
    });

    it('no delay is negative, nor longer than the round trip', () => {
      expect(medianOf(fitted(-200_000).recorded.order)).toBe(0);
      expect(medianOf(fitted(-200_000).recorded.answer)).toBe(ORDER + ANSWER);
    });

    it('drawn delays of feed and order add up to the true time, too', () => {
      const { drawn } = fitted(-30_000);
      expect(medianOf(drawn.order) + medianOf(drawn.feed!)).toBeCloseTo(ORDER + FEED, -1);
      expect(drawn.clock).toBe('offset');
    });
  });

  describe('for drawn delays of the feed', () => {
    const session = sessionOf(400, { order: () => 30_000, answer: () => 10_000 });
    const feed = session.trips.map(({ askedAt }) => ({ at: askedAt, venueAt: askedAt - 501 }));

    it('have a table of the feed in the block', () => {
      const latency = fitLatency([{ ...session, feed }], 'drawn');
      expect(latency).toMatchObject({ feedModel: 'drawn', clock: 'offset' });
      // The offset is known to half a microsecond, and the table is in whole ones.
      expect(latency.feed?.[0]?.quality.distance).toBe(0);
      expect(simulationBlock({ latency, queue: null })).toContain('    feed:\n');
    });

    it('are by the clock of the tape where the delays of the feed are unknown, as the block keeps those of the tape', () => {
      const latency = fitLatency([{ ...session, feed: feed.slice(0, 150) }], 'drawn');
      expect(latency).toMatchObject({ feedModel: 'recorded', feed: null, clock: 'tape' });
      expect(simulationBlock({ latency, queue: null })).not.toContain('feed:');
    });
  });

  it('a round trip is halved where the venue gives no times', () => {
    const fit = fitLatency([sessionOf(400, { order: () => 30_000, answer: () => 10_000 }, { hasVenueTimes: false })]);
    expect(fit.order[0]?.quantiles[0]).toEqual([0, 20_000]);
    expect(fit.offsetWithin).toBeNull();
  });

  describe('of reads, whose times the venue never gives', () => {
    const withReads = (slower: number, hasVenueTimes = true) => {
      const draw = uniform(7);
      const exponential = (): number => 5000 - 3000 * Math.log(1 - draw());
      const session = sessionOf(3000, { order: exponential, answer: exponential }, { hasVenueTimes });
      const reads = session.trips.map(({ askedAt }): Trip => {
        const answeredAt = askedAt + slower * (exponential() + exponential());
        return { way: 'read', askedAt, answeredAt, effectAt: null, shownAt: null };
      });
      return fitLatency([{ ...session, trips: [...session.trips, ...reads] }]);
    };
    const rowOf = (rows: readonly DelayRow[], way?: Trip['way']) => rows.find((row) => row.way === way)?.quantiles;
    const spreadOf = (quantiles: DelayRow['quantiles'] = []): number =>
      new Map(quantiles).get(90)! - new Map(quantiles).get(10)!;

    it('are divided like those of the same rank: reads that take as long as orders need no table of their own', () => {
      const { order, answer, separated, division } = withReads(1);
      expect([separated, division]).toEqual([0.5, 'ranks']);
      for (const rows of [order, answer]) expect(rowOf(rows, 'read')).toBeUndefined();
    });

    it('keep the spread of each way where they take longer', () => {
      const { order, answer } = withReads(3);
      for (const rows of [order, answer])
        expect(spreadOf(rowOf(rows, 'read')) / spreadOf(rowOf(rows))).toBeCloseTo(3, 0);
    });

    it('are halved where the venue gives no times at all', () => {
      expect(withReads(1, false)).toMatchObject({ separated: 0, division: 'halves' });
    });
  });

  it('a kind of request and an hour have tables of their own where they differ, and only there', () => {
    const draw = uniform(9);
    const delays = {
      order: (way: Trip['way'], hour: number) =>
        (way === 'cancel' ? 4000 : 9000) + (hour === 1 ? 20_000 : 0) + 2000 * draw(),
      answer: () => 3000 + 1000 * draw(),
    };
    const { order, answer } = fitLatency([sessionOf(3000, delays, { hours: 3 })]);
    const keys = order.map(({ way, hour }) => `${way ?? 'all'} ${hour ?? ''}`.trim());
    const hour = Math.floor(START / HOUR + 1) % 24;
    expect(keys).toEqual(expect.arrayContaining(['all', 'order', 'cancel', `order ${hour}`, `cancel ${hour}`]));
    expect(answer.map(({ way }) => way)).toEqual([undefined]);
  });

  describe('of a kind that makes up half of all requests', () => {
    const hasOwnTable = (seed: number, later: number): boolean => {
      const draw = uniform(seed);
      const order = (way: Trip['way']): number => 5000 + (way === 'cancel' ? later : 0) + 2000 * draw();
      const { order: rows } = fitLatency([sessionOf(200, { order, answer: () => 3000 })]);
      return rows.some(({ way }) => way === 'cancel');
    };
    const shareWithTable = (later: number): number =>
      Array.from({ length: 300 }, (_, seed) => hasOwnTable(seed + 1, later)).filter(Boolean).length / 300;

    it('have a table of their own by chance in about 5 of 100 cases', () => {
      expect(shareWithTable(0)).toBeGreaterThan(0.01);
      expect(shareWithTable(0)).toBeLessThan(0.09);
    });

    it('have a table of their own where they take a quarter of the spread longer', () => {
      expect(shareWithTable(500)).toBeGreaterThan(0.7);
    });
  });

  it('the block reads back as the tables that were fitted', () => {
    const draw = uniform(4);
    const fit = fitLatency([
      sessionOf(900, { order: (way) => (way === 'cancel' ? 4000 : 9000) + 999 * draw(), answer: () => 3000 * draw() }),
    ]);
    const text = simulationBlock({ latency: fit, queue: null });
    const { latency } = parseYaml(text, {
      file: 'block.yaml',
      schema: z.strictObject({ simulation: simulationSchema }),
    }).simulation;
    const rows = fit.order.map(({ way, hour, quantiles }) => ({
      ...(way && { way }),
      ...(hour !== undefined && { hour }),
      quantiles,
    }));
    expect(latency.order).toEqual({ model: 'quantiles', rows });
    expect(latency.feed).toBe('recorded');
  });

  it('turns fills by crossing quotes off only where they are excluded', () => {
    const latency = fitLatency([sessionOf(400, { order: () => 5000, answer: () => 5000 })]);
    const score = {
      orders: 0,
      liveRate: 0,
      modelRate: 0,
      liveTimeToFill: null,
      modelTimeToFill: null,
      fillError: 0,
      positions: 0,
      positionError: null,
    };
    const matchingOf = (measured: MeasuredSettings): SimulationConfig['matching'] => {
      const chosen: ScoredModel = { queue: { model: 'log' }, ...measured, earlier: score, later: score };
      const evidence = {
        by: 'fills',
        default: chosen,
        candidates: [],
        leftOut: 0,
        crossing: { fills: 0, rested: 0 },
      } as const;
      const text = simulationBlock({ latency, queue: { chosen, ...evidence } });
      const schema = z.strictObject({ simulation: simulationSchema });
      return parseYaml(text, { file: 'block.yaml', schema }).simulation.matching;
    };
    expect(matchingOf({ printWindow: null, fillWhenCrossed: true })).toEqual(simulationSchema.parse({}).matching);
    expect(matchingOf({ printWindow: 10_000, fillWhenCrossed: false })).toMatchObject({
      printWindow: 10_000,
      fillWhenCrossed: false,
    });
  });
});

describe('how long orders rest', () => {
  it('a fill takes an order out of sight, and only cancels end it', () => {
    const spell = (age: number, endedBy: RestingSpell['endedBy']): RestingSpell => ({
      orderId: `${age}`,
      ticker: 'M',
      side: 'buy',
      price: 5000,
      qty: 100,
      arrivedAt: START,
      endedAt: START + age,
      endedBy,
      fills: [],
      cuts: [],
      positions: [],
    });
    // Kaplan and Meier by hand: 3/4 after the first cancel; the fill leaves 2 in sight, so 3/4 · 1/2, then 0.
    const survivalOf = (...spells: RestingSpell[]) => cancelSurvival([{ spells, to: START + 100 }]);
    const survival = survivalOf(
      spell(10, 'canceled'),
      spell(20, 'filled'),
      spell(30, 'canceled'),
      spell(40, 'canceled'),
    );
    expect([5, 10, 29, 30, 40].map(survival)).toEqual([1, 0.75, 0.75, 0.375, 0]);
    // Efron: beyond the longest order none rests, although a fill ended that one.
    const late = survivalOf(spell(10, 'canceled'), spell(20, 'filled'));
    expect([10, 19, 20, 1000].map(late)).toEqual([0.5, 0.5, 0, 0]);
    // Orders that rest on at the end of the session have rested until then.
    const resting: RestingSpell = { ...spell(0, 'session'), endedAt: null };
    const interrupted = survivalOf(spell(10, 'canceled'), resting, resting, resting);
    expect([9, 10, 99, 100].map(interrupted)).toEqual([1, 0.75, 0.75, 0]);
    // A cancel at the age of a fill comes before it.
    expect(survivalOf(spell(10, 'filled'), spell(10, 'canceled'), spell(20, 'canceled'))(10)).toBeCloseTo(2 / 3);
  });
});
