// Draws the trouble of the exchange itself in one simulation: a plan of its faults and incidents. Must never exceed
// what the bot is configured for: delays and staleness together stay within its grace.
import { type FaultPlan, faultsSchema } from '../../src/config/fault-config.ts';
import type { Draws } from './draws.ts';

/** Bounds on the staleness of reads, and on the exchange's delay before it acts. Milliseconds. */
const STALE_MS_MAX = 1000;
const THINKING_MS_MAX = 800;

type Rule = Readonly<Record<string, unknown>>;

/** A plan whose faults end at a time. */
export function troublePlan(draws: Draws, untilMs: number): FaultPlan {
  const when = (): Rule => {
    const from = draws.between(0, untilMs * 0.7);
    const until = Math.min(untilMs, from + draws.between(2000, untilMs));
    return { from: ms(from), until: ms(until), accounts: ['bot'] };
  };
  const drawn = (rules: readonly (() => Rule)[], share: number): Rule[] =>
    draws.some(rules, share).map((rule) => ({ ...when(), ...rule() }));
  // A simulation with few faults of its own shows best what the other troubles do.
  const share = draws.pick([0, 0.1, 0.25]);
  return faultsSchema.parse({
    requests: drawn(requestRules(draws), share),
    feed: drawn(feedRules(draws), share),
    clock: draws.happens(share)
      ? [
          {
            from: ms(draws.between(0, untilMs)),
            until: ms(untilMs),
            [draws.pick(['ahead', 'behind'])]: ms(draws.between(100, 1500)),
          },
        ]
      : [],
    incidents: draws.some(incidentRules(draws, untilMs), 0.2),
  });
}

const ms = (milliseconds: number): string => `${Math.round(milliseconds)}ms`;

function requestRules(draws: Draws): (() => Rule)[] {
  const often = (): number => draws.pick([0.02, 0.1, 0.3]);
  const trades = { on: ['trades'] };
  const anything = (): Rule => draws.pick([trades, { on: ['reads'] }, {}]);
  return [
    () => ({ fault: 'drop-answer', probability: often(), ...anything() }),
    () => ({ fault: 'drop-request', probability: often(), ...anything() }),
    () => ({
      fault: 'delay',
      probability: often(),
      before: ms(draws.between(0, THINKING_MS_MAX)),
      after: ms(draws.between(0, 3000)),
      ...anything(),
    }),
    () => ({
      fault: 'too-many-requests',
      probability: 0.01,
      for: ms(draws.between(0, 3000)),
      ...anything(),
      ...draws.pick([{}, { retryAfter: 1 }, { retryAfter: 'never-said' }]),
    }),
    () => ({
      fault: 'server-error',
      status: draws.pick([500, 502, 503, 504]),
      acts: true,
      probability: often(),
      ...anything(),
    }),
    () => ({
      fault: 'server-error',
      status: draws.pick([500, 502, 503, 504]),
      acts: false,
      probability: often(),
      ...anything(),
    }),
    () => ({
      fault: 'odd-answer',
      body: draws.pick(['no-order', 'empty', 'garbage']),
      probability: often(),
      ...anything(),
    }),
    () => ({
      fault: 'stale',
      by: ms(draws.between(50, STALE_MS_MAX)),
      probability: draws.pick([0.1, 0.5, 1]),
      on: ['reads'],
    }),
  ];
}

function feedRules(draws: Draws): (() => Rule)[] {
  const rarely = (): number => draws.pick([0.001, 0.01, 0.05]);
  const once = { times: 1, probability: 0.01 };
  const on = (): Rule =>
    draws.pick([{}, { on: ['book'] }, { on: ['fills'] }, { on: ['orders', 'fills', 'positions'] }]);
  return [
    () => ({ fault: 'lose', probability: rarely(), ...on() }),
    () => ({ fault: 'lose', probability: 0.3, on: ['fills', 'orders', 'positions'] }),
    () => ({ fault: 'duplicate', probability: rarely(), ...on() }),
    () => ({ fault: 'reorder', probability: rarely(), ...on() }),
    () => ({ fault: 'garbage', body: draws.pick(['half', 'noise']), probability: rarely(), ...on() }),
    () => ({
      fault: 'slow',
      by: ms(draws.between(10, 400)),
      growing: ms(draws.pick([0, 5])),
      probability: 0.05,
      for: '2s',
      ...on(),
    }),
    () => ({ fault: 'silence', ...once }),
    () => ({ fault: 'silence', lasting: ms(draws.between(500, 15_000)), ...once }),
    () => ({ fault: 'cut', ...once }),
    () => ({ fault: 'close', code: draws.pick([1001, 1006 + 5, 1012]), ...once }),
    () => ({ fault: 'end-channel', ...once, ...on() }),
  ];
}

function incidentRules(draws: Draws, untilMs: number): Rule[] {
  const after = ms(draws.between(500, untilMs - 9000));
  const lasting = { for: ms(draws.between(200, 6000)) };
  const market = draws.pick(['CITY-1-A', 'RAIN-1-STAYS']);
  return [
    { incident: 'pause', of: draws.pick(['trading', 'exchange']), after, ...lasting },
    { incident: 'halt', market, after, ...lasting },
    { incident: 'close-early', market: 'RAIN-1-LATE', after },
    {
      incident: 'move-close',
      market: 'RAIN-1-ENDS',
      after,
      [draws.pick(['sooner', 'later'])]: ms(draws.between(1000, 8000)),
    },
    {
      incident: 'dispute',
      market: draws.pick(['RAIN-1-ENDS', 'RAIN-1-LATE']),
      after,
      ...lasting,
      outcome: draws.pick(['uphold', 'amend']),
    },
    { incident: 'crash', after, ...lasting },
  ];
}
