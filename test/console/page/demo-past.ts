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
export function pastPage(
  all: readonly PastEvent[],
  query: URLSearchParams,
): { rows: PastEvent[]; next: string | null } {
  const [limit, from] = [Number(must(query.get('limit'), 'limit')), Number(query.get('cursor') ?? 0)];
  const kinds = query.get('kind')?.split(',');
  const wanted = all.filter(
    ({ kind, atUs }) => (kinds?.includes(kind) ?? true) && atUs < Number(query.get('to') ?? Number.POSITIVE_INFINITY),
  );
  const end = from + limit;
  return { rows: wanted.slice(from, end), next: wanted.length > end ? String(end) : null };
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
