// The events of the demo bot from before its session, and the pages in which the console answers with them.
import { must } from '../../../src/base/assert.ts';
import { MINUTE_US } from './demo-markets.ts';

interface PastEvent {
  readonly atUs: number;
  readonly session: string;
  readonly seq: number;
  readonly kind: string;
  readonly code: string;
  readonly scope: string;
  readonly who: string;
  readonly text: string;
  readonly micros: number | null;
}

/** A halt within the session and sixty payouts before it, after a night with an alarm, a halt and a crash. The newest event is first. */
export function demoPast(beganUs: number, haltReason: string): PastEvent[] {
  const event = (minutes: number, rest: Partial<PastEvent>): PastEvent => ({
    atUs: beganUs - minutes * MINUTE_US,
    session: 'yesterday',
    seq: minutes,
    kind: 'session',
    code: '',
    scope: '',
    who: '',
    text: '',
    micros: null,
    ...rest,
  });
  const payouts = Array.from({ length: 60 }, (_, at) => {
    const ticker = `RAIN-OSLO-DAY-${at}`;
    return event(at + 1, { kind: 'settlement', code: 'yes', text: `${ticker} was paid out`, micros: 5_000_000 });
  });
  return [
    event(-60, { session: 'today', kind: 'halt', code: 'risk', scope: 'account', who: 'risk', text: 'lost $50 today' }),
    ...payouts,
    event(301, { code: 'crash', text: 'the session ended without an orderly end' }),
    event(302, { kind: 'halt', code: 'operator', scope: 'account', who: 'ada, console', text: haltReason }),
    event(303, { kind: 'alarm', code: 'feed-lag', text: 'the feed is 4.2 s behind' }),
  ];
}

/** Returns the page of a request: its kinds, the events before `to`, and its cursor. */
export function pastPage(all: readonly PastEvent[], query: URLSearchParams): Page<PastEvent> {
  const kinds = query.get('kind')?.split(',');
  const wanted = all.filter(
    ({ kind, atUs }) => (kinds?.includes(kind) ?? true) && atUs < Number(query.get('to') ?? Number.POSITIVE_INFINITY),
  );
  return pageOf(wanted, query);
}

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
}

/** Returns the rows of a request from its cursor on, up to its limit. */
export function pageOf<Row>(all: readonly Row[], query: URLSearchParams): Page<Row> {
  const [limit, from] = [Number(must(query.get('limit'), 'limit')), Number(query.get('cursor') ?? 0)];
  const end = from + limit;
  return { rows: all.slice(from, end), next: all.length > end ? String(end) : null };
}

/** The profit of the demo bot by day. The oldest day is first, as the console sends them. */
export const PAST_DAYS = Array.from({ length: 9 }, (_, at) => ({
  group: `2026-11-${11 + at}`,
  fills: 1000 + at,
  contracts: 352_750,
  cashMicros: -113_810_000,
  feeMicros: 18_519_900,
  paidMicros: 0,
  markMicros: 173_975_000,
  profitMicros: at === 8 ? -1_598_700 : 41_645_100,
}));

/** Time of the last entry of the demo bot's journals. */
const LAST_US = 1_795_000_000_000_000;

/** A position in YES of the demo bot, and one in NO in a market with tenths of a cent. */
export const PAST_POSITIONS = [
  { ticker: 'RAIN-OSLO-DAY', qty: 1200, costMicros: 5_040_000, mark: 4400, valueMicros: 5_280_000 },
  { ticker: 'CITY-36-AHM', qty: -350, costMicros: 2_450_000, mark: 2875, valueMicros: 2_493_750 },
].map((row) => ({ ...row, realizedMicros: 0, feeMicros: 35_000, atUs: LAST_US }));

/** Sessions of the demo bot, the newest first. */
export const PAST_SESSIONS = Array.from({ length: 60 }, (_, at) => ({
  session: `session-${60 - at}`,
  startedUs: LAST_US - (at + 1) * 60 * MINUTE_US,
  lastUs: LAST_US - at * 60 * MINUTE_US,
  how: 'stopped in order',
  orders: 1200,
  fills: 34,
  feeMicros: 1_234_500,
  realizedMicros: -12_345_600,
}));

/** Orders of the demo bot without an end, the newest first. */
export const pastOrders = (length: number) =>
  Array.from({ length }, (_, at) => ({
    clientOrderId: `yesterday-${length - at}`,
    venueOrderId: `v-${length - at}`,
    session: 'yesterday',
    strategy: 'quoter',
    ticker: 'RAIN-OSLO-DAY',
    side: 'sell',
    price: 4700,
    qty: 500,
    filledQty: 100,
    state: 'working',
    sentUs: LAST_US - (at + 1) * MINUTE_US,
    endedUs: null,
    endWhy: null,
    causeSeq: 12,
  }));
