// Fits delays to sessions: tables of quantiles for the way to the venue and back, by kind of request and hour of the day
// where these differ. Each table is also fitted on the earlier observations alone, and judged on the later ones. Must
// never make a table of fewer observations than the stated minimum.
import { REQUEST_WAYS, type DelayRow, type RequestWay } from '../../config/simulation-config.ts';
import { hourOfDay } from '../../venues/simulated/models/delay-tables.ts';
import { type ClockOffset, clockOffset } from './offset-bounds.ts';
import { type Sorted, ksByChance, ksDistance, quantile, quantileTable, sorted, tableDistance } from './distribution.ts';
import type { FeedTime, SessionFacts, Trip } from './calibration-facts.ts';
import { tapeLead } from './row-times.ts';

/** Fewest answered orders and cancels for a fit. */
export const TRIPS_MIN = 100;
/** Fewest requests of a kind for a table of its own. */
export const WAY_MIN = 100;
/** Fewest requests in an hour of the day for a table of its own. */
export const HOUR_MIN = 200;
/** Fewest requests with a time of the venue by which the others are divided. */
export const SEPARATED_MIN = 100;
/** Smallest distance of two distributions that deserves a table of its own. */
const DISTANCE_MIN = 0.05;
/** Share of the observations, the earliest, on which a table is fitted before it is judged on the others. */
const FITTED_SHARE = 0.7;
/** Clocks that drift have an offset for each stretch of this length. Microseconds. */
const STRETCH_US = 3_600_000_000;

/** How well a table that was fitted on earlier observations describes the later ones. */
export interface TableQuality {
  readonly fitted: number;
  readonly judged: number;
  /** Largest distance of the distribution functions (Kolmogorov and Smirnov), from 0 to 1. */
  readonly distance: number;
  /** Distance that chance alone exceeds in 5 of 100 cases. */
  readonly byChance: number;
}

/** A fitted table. */
export interface FittedRow extends DelayRow {
  readonly count: number;
  readonly quality: TableQuality;
}

/** Delays of a kind, in microseconds, for people. */
export interface DelaySummary {
  readonly way: RequestWay | 'feed';
  readonly count: number;
  readonly median: number;
  readonly p95: number;
  readonly p99: number;
}

/** The feed of a simulation: the recorder's own delays, or delays drawn from the sessions' distribution. */
export type FeedModel = 'recorded' | 'drawn';

/** The fitted delays. */
export interface LatencyFit {
  readonly order: readonly FittedRow[];
  readonly answer: readonly FittedRow[];
  /** `null` where fewer than `HOUR_MIN` messages carry times of the venue, or the clocks' offset is unknown. */
  readonly feed: readonly FittedRow[] | null;
  /** The delays of the feed that go with those of orders. */
  readonly feedModel: FeedModel;
  /** Share of the requests whose way there and way back the venue's times separate. */
  readonly separated: number;
  /**
   * How the round trips of the other requests are divided: like the separated one of the same rank among the round trips,
   * or by half, with fewer than `SEPARATED_MIN` separated ones.
   */
  readonly division: 'ranks' | 'halves';
  /**
   * The clock by which the way there ends: that of the tape's rows, as a backtest replays them, or the venue's after
   * its offset is taken off; `null` where nothing separates the ways.
   */
  readonly clock: 'tape' | 'offset' | null;
  /** Largest uncertainty of the clocks' offset, in microseconds; `null` where no stretch gave one. */
  readonly offsetWithin: number | null;
  readonly roundTrips: readonly DelaySummary[];
  /** From the request to its effect on the feed. */
  readonly untilShown: readonly DelaySummary[];
  readonly feedDelays: DelaySummary | null;
}

interface Observed {
  readonly at: number;
  readonly way?: RequestWay;
  readonly delay: number;
}

/** A round trip in whole microseconds. */
interface RoundTrip {
  readonly at: number;
  readonly way: RequestWay;
  readonly whole: number;
  /** The part of it that is the way there; `null` where the venue's times do not separate it. */
  readonly there: number | null;
}

interface Legs {
  readonly trips: RoundTrip[];
  readonly feed: Observed[];
  clock: LatencyFit['clock'];
  offsetWithin: number | null;
}

/** Number of answered orders and cancels, amends and decreases included. */
export const tripCount = (sessions: readonly SessionFacts[]): number =>
  sessions.reduce((sum, { trips }) => sum + trips.filter(({ way }) => way !== 'read').length, 0);

/**
 * Fits the delays of sessions that have at least `TRIPS_MIN` answered orders and cancels.
 * @param feed the feed's delays in the simulation. The time from a change of the book to the effect of our answer to it is
 *     the feed's delay and the order's; both must be by one clock. Where the feed's delays are unknown, those of the tape
 *     are left.
 */
export function fitLatency(sessions: readonly SessionFacts[], feed: FeedModel = 'recorded'): LatencyFit {
  const legs: Legs = { trips: [], feed: [], clock: null, offsetWithin: null };
  for (const session of sessions) {
    // One offset for the whole session has the tightest bounds; where the clocks drifted apart, each stretch has its own.
    const whole = clockOffset(session.trips, session.feed);
    for (const stretch of whole === null ? stretchesOf(session) : [session]) {
      const offset = whole ?? clockOffset(stretch.trips, stretch.feed);
      observe(stretch, { offset, onTape: feed === 'recorded' ? tapeLead(stretch.feed) : null }, legs);
    }
  }
  if (feed === 'drawn' && legs.feed.length < HOUR_MIN) return fitLatency(sessions, 'recorded');
  const trips = sessions.flatMap((session) => session.trips);
  const separated = legs.trips.filter(({ there }) => there !== null);
  const division = separated.length >= SEPARATED_MIN ? 'ranks' : 'halves';
  const divided = dividedTrips(legs.trips, division === 'ranks' ? separated : []);
  return {
    order: fitLeg(divided.map(({ at, way, there }) => ({ at, way, delay: there }))),
    answer: fitLeg(divided.map(({ at, way, whole, there }) => ({ at, way, delay: whole - there }))),
    feed: legs.feed.length < HOUR_MIN ? null : fitLeg(legs.feed),
    feedModel: feed,
    separated: trips.length === 0 ? 0 : separated.length / trips.length,
    division,
    clock: legs.clock,
    offsetWithin: legs.offsetWithin,
    roundTrips: summaries(trips, ({ answeredAt, askedAt }) => answeredAt - askedAt),
    untilShown: summaries(trips, ({ shownAt, askedAt }) => (shownAt === null ? null : shownAt - askedAt)),
    feedDelays: summary(
      'feed',
      legs.feed.map(({ delay }) => delay),
    ),
  };
}

type Stretch = Pick<SessionFacts, 'trips' | 'feed'>;

function stretchesOf({ trips, feed }: SessionFacts): Stretch[] {
  const stretches = new Map<number, { readonly trips: Trip[]; readonly feed: FeedTime[] }>();
  const at = (time: number) => {
    const key = Math.floor(time / STRETCH_US);
    const known = stretches.get(key) ?? { trips: [], feed: [] };
    stretches.set(key, known);
    return known;
  };
  for (const trip of trips) at(trip.askedAt).trips.push(trip);
  for (const message of feed) at(message.at).feed.push(message);
  return [...stretches.values()];
}

/** How a stretch's times of the venue are compared with ours. */
interface Clocks {
  /** `null` where it is unknown. */
  readonly offset: ClockOffset | null;
  /** The result of `tapeLead`; it is `null` where the delays are not by the clock of the tape's rows. */
  readonly onTape: number | null;
}

function observe({ trips, feed }: Stretch, { offset: clock, onTape }: Clocks, legs: Legs): void {
  if (clock !== null) legs.offsetWithin = Math.max(legs.offsetWithin ?? 0, clock.within);
  const lead = onTape === null ? clock && -clock.offset : onTape;
  for (const { way, askedAt, answeredAt, effectAt } of trips) {
    const takenAt = effectAt === null || lead === null ? null : effectAt - lead;
    if (takenAt !== null) legs.clock = onTape === null ? 'offset' : 'tape';
    const whole = answeredAt - askedAt;
    const there = takenAt === null ? null : Math.round(Math.min(whole, Math.max(0, takenAt - askedAt)));
    legs.trips.push({ at: askedAt, way, whole, there });
  }
  if (clock === null) return;
  for (const { at, venueAt } of feed)
    legs.feed.push({ at, delay: Math.max(0, Math.round(at - venueAt - clock.offset)) });
}

/**
 * Divides the round trips that the venue's times do not separate: each like the separated one of the same rank, by half
 * without any. Halves lie too close together: the sum of two delays is steadier than either.
 */
function dividedTrips(
  trips: readonly RoundTrip[],
  separated: readonly RoundTrip[],
): readonly (RoundTrip & { readonly there: number })[] {
  const byLength = (a: RoundTrip, b: RoundTrip): number => a.whole - b.whole;
  const models = separated.toSorted(byLength);
  const shareAt = (rank: number): number => {
    const { whole, there } = models[Math.floor(rank * models.length)] ?? { whole: 0, there: 0 };
    return whole > 0 ? (there ?? 0) / whole : 0.5;
  };
  return REQUEST_WAYS.flatMap((way) => {
    const ofWay = trips.filter((trip) => trip.way === way);
    const others = ofWay.filter(({ there }) => there === null).toSorted(byLength);
    return [
      ...ofWay.flatMap(({ there, ...trip }) => (there === null ? [] : { ...trip, there })),
      ...others.map((trip, index) => ({
        ...trip,
        there: Math.round(trip.whole * shareAt((index + 0.5) / others.length)),
      })),
    ];
  });
}

/** Fits one leg: the table for all, then the tables of kinds and hours that differ from it. */
function fitLeg(observed: readonly Observed[]): FittedRow[] {
  const trades = observed.filter(({ way }) => way !== 'read');
  const base = trades.length >= TRIPS_MIN ? trades : observed;
  const rows = [rowOf({}, base)];
  for (const way of REQUEST_WAYS) {
    const own = observed.filter((each) => each.way === way);
    const hasOwn = own.length >= WAY_MIN && isOther(own, base);
    if (hasOwn) rows.push(rowOf({ way }, own));
    // Reads are answered by other rules than trades: without a table of its own, none is needed by hour.
    if (hasOwn) rows.push(...hourRows(own, { way }));
  }
  return [...rows, ...hourRows(base, {})];
}

function hourRows(observed: readonly Observed[], key: Pick<DelayRow, 'way'>): FittedRow[] {
  return Array.from({ length: 24 }, (_, hour) => hour).flatMap((hour) => {
    const own = observed.filter(({ at }) => hourOfDay(at) === hour);
    return own.length >= HOUR_MIN && isOther(own, observed) ? [rowOf({ ...key, hour }, own)] : [];
  });
}

const delaysOf = (observed: readonly Observed[]): Sorted => sorted(observed.map(({ delay }) => delay));

/** Reads are no part of the table for all, the requests of another kind or of an hour are. */
function isOther(own: readonly Observed[], all: readonly Observed[]): boolean {
  const isOwn = new Set(own);
  const others = all.filter((each) => !isOwn.has(each)).length;
  if (others === 0) return false;
  const distance = ksDistance(delaysOf(own), delaysOf(all));
  // The distance of a part from the whole is that from the others, less by the share of the part.
  const byChance = ksByChance(own.length, others) * (others / all.length);
  return distance > Math.max(DISTANCE_MIN, byChance);
}

function rowOf(key: Pick<DelayRow, 'way' | 'hour'>, observed: readonly Observed[]): FittedRow {
  const byTime = observed.toSorted((a, b) => a.at - b.at);
  const cut = Math.floor(byTime.length * FITTED_SHARE);
  const [earlier, later] = [delaysOf(byTime.slice(0, cut)), delaysOf(byTime.slice(cut))];
  return {
    ...key,
    quantiles: quantileTable(delaysOf(observed)),
    count: observed.length,
    quality: {
      fitted: earlier.length,
      judged: later.length,
      distance: tableDistance(quantileTable(earlier), later),
      byChance: ksByChance(earlier.length, later.length),
    },
  };
}

function summaries(trips: readonly Trip[], delayOf: (trip: Trip) => number | null): DelaySummary[] {
  return REQUEST_WAYS.flatMap((way) => {
    const delays = trips.flatMap((trip) => (trip.way === way ? (delayOf(trip) ?? []) : []));
    return summary(way, delays) ?? [];
  });
}

function summary(way: DelaySummary['way'], delays: readonly number[]): DelaySummary | null {
  if (delays.length === 0) return null;
  const all = sorted(delays);
  const at = (share: number): number => Math.round(quantile(all, share));
  return { way, count: all.length, median: at(0.5), p95: at(0.95), p99: at(0.99) };
}
